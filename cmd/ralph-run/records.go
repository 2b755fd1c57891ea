package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/supervisor"
)

const (
	recordsName = "ralph-run.jsonl"
	maxRecords  = 10 << 20 // bytes; then the file is rotated
	maxEvidence = 300      // runes
)

// A record is one line of the log of records: one attempt. It never holds
// COMMAND's words, which may be a prompt, nor its environment.
type record struct {
	Time       time.Time `json:"time"` // when the attempt began
	PID        int       `json:"pid"`
	Host       string    `json:"host,omitempty"`
	Cwd        string    `json:"cwd,omitempty"`
	Attempt    string    `json:"attempt,omitempty"`
	Client     string    `json:"client,omitempty"`
	Model      string    `json:"model"`
	Role       string    `json:"role,omitempty"`
	Verdict    string    `json:"verdict"`
	Scope      string    `json:"scope,omitempty"`
	ResetAt    string    `json:"resetAt,omitempty"`
	Rule       string    `json:"rule,omitempty"`
	Evidence   string    `json:"evidence,omitempty"` // redacted by the detector
	ExitStatus int       `json:"exitStatus"`
	DurationMS int64     `json:"durationMs"`
	Bytes      int64     `json:"bytes"`
	EndedBy    string    `json:"endedBy,omitempty"`
	WaitedMS   int64     `json:"waitedMs,omitempty"` // how long the client sat on the limit
	SavedMS    int64     `json:"savedMs,omitempty"`  // how much longer it said it would have waited, at least
	From       string    `json:"from,omitempty"`     // the circuit before, where it changed
	To         string    `json:"to,omitempty"`
}

// newRecord takes over what a record may hold of an attempt.
func newRecord(r supervisor.Record, client string) record {
	out := blankRecord(r.Started)
	out.Attempt, out.Client = r.Attempt.ID, client
	out.Model, out.Role = r.Attempt.Model, string(r.Attempt.Role)
	out.Verdict, out.Rule = string(r.Verdict.Kind), r.Verdict.Rule
	out.Evidence = cut(printable(r.Verdict.Evidence), maxEvidence)
	out.ExitStatus = r.Exit.ShellCode()
	out.DurationMS, out.Bytes = r.Duration.Milliseconds(), r.Bytes
	out.EndedBy, out.WaitedMS, out.SavedMS = r.EndedBy, r.Waited.Milliseconds(), r.Saved.Milliseconds()
	if r.Verdict.Rule != "" {
		out.Scope = string(r.Verdict.Scope)
	}
	if !r.Verdict.ResetAt.IsZero() {
		out.ResetAt = r.Verdict.ResetAt.UTC().Format(time.RFC3339)
	}
	out.change(r.Change)
	return out
}

func blankRecord(at time.Time) record {
	host, _ := os.Hostname()
	cwd, _ := os.Getwd()
	return record{Time: at.UTC(), PID: os.Getpid(), Host: host, Cwd: cwd}
}

// change takes over a transition.
func (r *record) change(ch breaker.Change) {
	if ch.From != ch.To {
		r.From, r.To = string(ch.From), string(ch.To)
	}
}

// byHand is the role of a record that is no run but a command on the circuit.
const byHand = "by hand"

// handRecord is what record, trip or reset did to the circuit of a model.
func handRecord(c *cli.Context, circuit string, ch breaker.Change) record {
	out := blankRecord(time.Now())
	out.Role, out.Model, out.Verdict = byHand, circuit, c.Command.Name
	if out.Model == "" {
		out.Model = "-" // every model is limited
	}
	if c.Command.Name == "record" {
		out.Verdict, out.Model = map[string]string{"success": "none", "limit": "limit"}[c.Args().First()], ch.Model
	}
	out.change(ch)
	return out
}

// cut shortens a text to n runes.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// A recorder appends to the log of records beside a state file.
type recorder struct{ path string }

func newRecorder(stateFile string) recorder {
	return recorder{filepath.Join(filepath.Dir(stateFile), recordsName)}
}

// add appends one record with one write, so that records of many processes
// never mix. It first ends a line that a crash has cut.
func (r recorder) add(rec record) error {
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	f, err := r.open()
	if err != nil {
		return fmt.Errorf("open records: %w", err)
	}
	defer f.Close()
	size, err := f.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("size records: %w", err)
	}
	last := []byte{'\n'}
	if size > 0 {
		_, _ = f.ReadAt(last, size-1)
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	return nil
}

// open opens the file to append to; a full one is put aside first.
func (r recorder) open() (*os.File, error) {
	f, err := r.openAppend()
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Size() < maxRecords {
		return f, nil
	}
	f.Close()
	if err := r.rotate(); err != nil {
		return nil, err
	}
	return r.openAppend()
}

func (r recorder) openAppend() (*os.File, error) {
	const flags = os.O_APPEND | os.O_CREATE | os.O_RDWR
	f, err := os.OpenFile(r.path, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
			return nil, err
		}
		return os.OpenFile(r.path, flags, 0o600)
	}
	return f, err
}

// rotate puts a full file aside, in place of the one before it. Whoever still
// has it open finishes a line there. Under the lock, the second to come finds a
// new file and leaves it.
func (r recorder) rotate() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	lock := flock.New(r.path + ".lock")
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("lock records: %w", err)
	}
	defer lock.Close()
	info, err := os.Stat(r.path)
	if err != nil || info.Size() < maxRecords {
		return nil // another process was faster
	}
	return os.Rename(r.path, r.old())
}

func (r recorder) old() string { return r.path + ".1" }

// each calls do with every record since a moment, oldest first. Lines that are
// no records are counted and left out.
func (r recorder) each(since time.Time, do func(*record)) (bad int, err error) {
	for _, path := range []string{r.old(), r.path} {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return bad, err
		}
		n, err := eachLine(f, since, do)
		f.Close()
		if bad += n; err != nil {
			return bad, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return bad, nil
}

func eachLine(f *os.File, since time.Time, do func(*record)) (bad int, err error) {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var rec record
		switch {
		case len(lines.Bytes()) == 0:
		case json.Unmarshal(lines.Bytes(), &rec) != nil || rec.Model == "":
			bad++
		case !rec.Time.Before(since):
			do(&rec)
		}
	}
	return bad, lines.Err()
}
