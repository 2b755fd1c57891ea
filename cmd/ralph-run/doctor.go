package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/supervisor"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "look for what would go wrong, and say what to do",
		Description: `Looks at the client, the state file and its writers, the file system's locks, the
terminal, the clock and the models of the chain. Ends with 1 if something is
broken, else with 0.`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "show the findings as a JSON list"}},
		Action: p.doctor,
	}
}

// A finding is one thing that doctor looked at.
type finding struct {
	Level   string `json:"level"` // ok, note, broken
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Do      string `json:"do,omitempty"`
}

// An examination collects findings.
type examination struct {
	*program
	settings settings
	list     []finding
}

func (e *examination) ok(subject, format string, args ...any) {
	e.list = append(e.list, finding{"ok", subject, fmt.Sprintf(format, args...), ""})
}

func (e *examination) note(subject, do, format string, args ...any) {
	e.list = append(e.list, finding{"note", subject, fmt.Sprintf(format, args...), do})
}

func (e *examination) broken(subject, do, format string, args ...any) {
	e.list = append(e.list, finding{"broken", subject, fmt.Sprintf(format, args...), do})
}

func (p *program) doctor(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err == nil {
		err = noWords(c)
	}
	if err != nil {
		return err
	}
	e := &examination{program: p, settings: s}
	e.ok("ralph-run", "%s, %s/%s", c.App.Version, runtime.GOOS, runtime.GOARCH)
	e.variables(c.App.Flags)
	known := e.client(c.Context)
	place, err := statePlace(s)
	if err != nil {
		return err
	}
	if doc := e.stateFile(c.Context, place); doc != nil {
		e.chain(doc, known)
	}
	dir, err := stateFolder(place)
	if err != nil {
		return err
	}
	dir = existing(dir)
	e.locks(dir)
	e.clock(dir)
	e.terminal()
	for _, f := range e.list {
		if f.Level == "broken" {
			p.end.Code = 1
		}
	}
	if c.Bool("json") {
		return printJSON(p.stdout, e.list)
	}
	e.print(newPaint(p.stdout, p.env))
	return nil
}

func (e *examination) print(ui paint) {
	marks := map[string]string{"ok": ui.green("ok    "), "note": ui.yellow("note  "), "broken": ui.red("broken")}
	for _, f := range e.list {
		fmt.Fprintf(e.stdout, "%s  %-9s  %s\n", marks[f.Level], f.Subject, printable(f.Text))
		if f.Do != "" {
			fmt.Fprintf(e.stdout, "%19s→ %s\n", "", printable(f.Do))
		}
	}
}

// stateFile looks at the state file and who else writes it.
func (e *examination) stateFile(ctx context.Context, place string) *breaker.Document {
	var notes []breaker.Notice
	st, err := openState(e.settings, place, circuitOptions(e.settings), func(n breaker.Notice) { notes = append(notes, n) })
	if err != nil {
		e.broken("state", "give --state a path", "%v", err)
		return nil
	}
	doc, now, err := st.store.View(ctx)
	if err != nil && st.fleet != nil {
		e.broken("state", "start the server, or correct the URL; runs go on with the state as this machine last saw it", "%v", err)
		return nil
	}
	if err != nil {
		e.broken("state", "repair or remove the file; a run goes on with the preferred model and keeps a corrupt one aside", "%s: %v", place, err)
		return nil
	}
	if doc.Fresh() {
		e.note("state", "ralph-run init writes it, or the first run does", "%s is not written yet", st.inUse(ctx))
	} else {
		e.ok("state", "%s: %s", st.inUse(ctx), doc.State)
	}
	for _, n := range notes {
		e.note("state", "nothing to do: ralph-run uses a file of its own", "%s", n.Text)
	}
	for _, w := range doc.Warnings {
		e.note("state", "edit "+st.inUse(ctx), "%s", w)
	}
	e.misspelt(doc, st.inUse(ctx))
	for _, pattern := range append(append([]string{}, doc.Match...), doc.Ignore...) {
		if _, err := regexp.Compile(pattern); err != nil {
			e.note("state", "edit "+st.inUse(ctx)+"; until then the pattern is ignored", "match or ignore: %v", err)
		}
	}
	if doc.OpenedAt.After(now.Add(time.Minute)) {
		e.note("clock", "set the clock; until then the circuit is treated as opened now", "the circuit was opened in the future, at %s", doc.OpenedAt.Format(time.RFC3339))
	}
	if st.fleet != nil {
		e.fleetFindings(st, now)
	}
	e.records(ctx, st)
	if st.fleet == nil {
		e.keptAside(st.inUse(ctx))
		e.committed(ctx, st.inUse(ctx))
	}
	return doc
}

func (e *examination) records(ctx context.Context, st *state) {
	n := 0
	where, bad, err := st.eachRecord(ctx, time.Time{}, func(*record) { n++ })
	switch {
	case err != nil:
		e.note("records", "make it readable and writable for this user", "%v", err)
	case bad > 0:
		e.note("records", "nothing to do: such lines are left out", "%d records, %d lines that are none, in %s", n, bad, where)
	default:
		e.ok("records", "%d in %s", n, where)
	}
}

// existing is the folder itself, or the nearest above it that is there.
func existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// locks takes a lock in the state's folder, or where that would be made.
func (e *examination) locks(dir string) {
	f, err := os.CreateTemp(dir, ".ralph-run-doctor-")
	if err != nil {
		e.broken("folder", "make the folder writable, or give --state another path; runs go on, but remember nothing", "%s cannot be written: %v", dir, err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	lock := flock.New(f.Name())
	defer lock.Close()
	if held, err := lock.TryLock(); err != nil || !held {
		e.broken("locks", "keep the state on a local file system", "%s: this file system has no locks: %v", dir, err)
		return
	}
	if kind := networkKind(dir); kind != "" {
		e.note("locks", "for several machines prefer one state per machine", "%s is on %s, whose locks may not reach other machines", dir, kind)
		return
	}
	e.ok("locks", "work in %s", dir)
}

// clock compares this machine's clock with the file system's.
func (e *examination) clock(dir string) {
	now := time.Now()
	if now.Year() < 2025 {
		e.broken("clock", "set the clock", "it is %s here", now.Format(time.RFC3339))
		return
	}
	f, err := os.CreateTemp(dir, ".ralph-run-doctor-")
	if err != nil {
		return // the folder has its own finding
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	if off := info.ModTime().Sub(now).Abs(); off > time.Minute {
		e.note("clock", "set both clocks", "the file system's clock is %s off this machine's", shortDuration(off))
		return
	}
	e.ok("clock", "%s", now.Format(time.RFC3339))
}

func (e *examination) terminal() {
	var on []string
	for _, f := range []*os.File{e.stdin, e.stdout, e.stderr} {
		if term.IsTerminal(int(f.Fd())) {
			on = append(on, filepath.Base(f.Name()))
		}
	}
	if len(on) == 0 {
		e.ok("terminal", "none: COMMAND gets pipes, as it would without ralph-run")
		return
	}
	e.ok("terminal", "%s: COMMAND gets a terminal there; TERM=%s", strings.Join(on, ", "), supervisor.Getenv(e.env, "TERM"))
}
