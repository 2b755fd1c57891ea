package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/detect"
	"github.com/ralph-run/ralph-run/supervisor"
)

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "would this output be a limit, and why",
		ArgsUsage: "[FILE]",
		Description: `Runs the detector over output that was saved, byte for byte, in FILE (or stdin),
and shows every line that a rule looked at, whether it counted, why, and the
verdict. Ends with 0 whatever the verdict.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "exit-code", Usage: "`N` how COMMAND ended (not given: unknown)"},
			&cli.StringFlag{Name: "command", Usage: "`NAME` what wrote it, such as copilot"},
			&cli.StringFlag{Name: "now", Usage: "`TIME` when it ended, such as 2026-03-18T10:00:00+01:00; also the zone of times that name none (not given: now, here)"},
			&cli.StringFlag{Name: "stderr", Usage: "`FILE` what COMMAND wrote to stderr, if FILE holds only stdout"},
			&cli.BoolFlag{Name: "terminal", Usage: "FILE was recorded from a terminal"},
			&cli.BoolFlag{Name: "json", Usage: "show the verdict as one JSON object"},
		},
		Action: p.explain,
	}
}

func (p *program) explain(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err != nil {
		return err
	}
	if c.NArg() > 1 {
		return usageErrorf("explain: want one FILE, got %d", c.NArg())
	}
	now, zone, err := readNow(c.String("now"), time.Now())
	if err != nil {
		return err
	}
	exit, err := readExit(c.String("exit-code"))
	if err != nil {
		return err
	}
	opts := detectOptions(s)
	opts.Client = supervisor.ParseCommand([]string{c.String("command")}).Client()
	opts.Zone, opts.Split = zone, c.String("stderr") != ""
	ui := newPaint(p.stdout, p.env)
	if !c.Bool("json") {
		opts.Explain = func(l detect.Look) { printLook(p.stdout, ui, l) }
	}
	d := detect.New(opts)
	if err := p.feedFiles(d, c); err != nil {
		return err
	}
	v := d.Close(exit, now)
	if c.Bool("json") {
		return printVerdictJSON(p.stdout, v, now)
	}
	printVerdict(p.stdout, ui, v, now)
	return nil
}

// feedFiles shows the detector what was saved, stdout first: a client's errors
// come last.
func (p *program) feedFiles(d *detect.Detector, c *cli.Context) error {
	first := detect.Stdout
	if c.Bool("terminal") {
		first = detect.Terminal
	}
	if name := c.Args().First(); name != "" && name != "-" {
		if err := feedFile(d, first, name); err != nil {
			return err
		}
	} else if err := feed(d, first, p.stdin); err != nil {
		return fmt.Errorf("read stdin: %w", err)
	}
	if name := c.String("stderr"); name != "" {
		return feedFile(d, detect.Stderr, name)
	}
	return nil
}

func feedFile(d *detect.Detector, s detect.Stream, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return feed(d, s, f)
}

func feed(d *detect.Detector, s detect.Stream, r io.Reader) error {
	_, err := io.Copy(feeder{d, s}, struct{ io.Reader }{r}) // in pieces, whatever the size
	return err
}

// A feeder shows a detector what is written to it.
type feeder struct {
	d *detect.Detector
	s detect.Stream
}

func (f feeder) Write(b []byte) (int, error) {
	f.d.Feed(f.s, b)
	return len(b), nil
}

// readNow reads --now; its zone is that of clock times that name none.
func readNow(s string, now time.Time) (time.Time, *time.Location, error) {
	if s == "" {
		return now, time.Local, nil
	}
	t, err := parseTime(s)
	if err != nil {
		return now, nil, usageErrorf("--now %q: %v", s, err)
	}
	return t, t.Location(), nil
}

func readExit(s string) (detect.Exit, error) {
	if s == "" {
		return detect.Exit{Unknown: true}, nil
	}
	most := 255
	if runtime.GOOS == "windows" {
		most = math.MaxUint32
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > most {
		return detect.Exit{}, usageErrorf("--exit-code %q: want a whole number from 0 to %d", s, most)
	}
	return detect.Exit{Code: n}, nil
}

var streamNames = map[detect.Stream]string{
	detect.Stdout: "stdout", detect.Stderr: "stderr", detect.Terminal: "terminal", detect.Log: "log",
}

// streamOf names the stream of a verdict's evidence, or nothing: an exit status
// is on none.
func streamOf(v detect.Verdict) string {
	if v.Evidence == "" || v.Rule == "exit-code" {
		return ""
	}
	return streamNames[v.Stream]
}

func printLook(w io.Writer, ui paint, l detect.Look) {
	mark, colour := "-", ui.dim
	if l.Counted {
		mark, colour = "+", ui.red
	}
	where := fmt.Sprintf("%s:%d ", streamNames[l.Stream], l.Line)
	if l.Line == 0 { // the exit status, which is on no stream
		where = ""
	}
	fmt.Fprintf(w, "%s %s\n", colour(fmt.Sprintf("%s %s[%s]", mark, where, l.Rule)), printable(l.Text))
	fmt.Fprintf(w, "    %s\n", l.Reason)
}

func printVerdict(w io.Writer, ui paint, v detect.Verdict, now time.Time) {
	if v.Kind == detect.None {
		fmt.Fprintf(w, "verdict: %s\n", ui.green("none"))
		return
	}
	fmt.Fprintf(w, "verdict: %s", ui.red(string(v.Kind)))
	if v.Kind == detect.Limit {
		fmt.Fprintf(w, ", scope %s", v.Scope)
	}
	if !v.ResetAt.IsZero() {
		fmt.Fprintf(w, ", resets in %s (%s)", shortDuration(v.ResetAt.Sub(now)), v.ResetAt.Format(time.RFC3339))
	}
	if v.Capped {
		fmt.Fprint(w, ", the stated time was cut")
	}
	fmt.Fprintf(w, "\n  rule:     %s\n", v.Rule)
	switch stream := streamOf(v); {
	case stream != "":
		fmt.Fprintf(w, "  evidence: %s: %s\n", stream, printable(v.Evidence))
	case v.Evidence != "":
		fmt.Fprintf(w, "  evidence: %s\n", printable(v.Evidence))
	}
	if v.DidWork {
		fmt.Fprintln(w, "  the run did work before it ended")
	}
}

// A verdictJSON is what explain --json prints; null where unknown.
type verdictJSON struct {
	Verdict           detect.Kind   `json:"verdict"`
	Scope             *detect.Scope `json:"scope"`
	RetryAfterSeconds *int64        `json:"retryAfterSeconds"`
	ResetAt           *string       `json:"resetAt"`
	Rule              *string       `json:"rule"`
	Evidence          *string       `json:"evidence"`
	Stream            *string       `json:"stream"`
	DidWork           bool          `json:"didWork"`
}

func printVerdictJSON(w io.Writer, v detect.Verdict, now time.Time) error {
	out := verdictJSON{Verdict: v.Kind, DidWork: v.DidWork}
	if v.Kind != detect.None {
		out.Scope, out.Rule, out.Evidence = known(v.Scope), known(v.Rule), known(v.Evidence)
		out.Stream = known(streamOf(v))
	}
	wait := v.RetryAfter
	if !v.ResetAt.IsZero() {
		out.ResetAt = known(v.ResetAt.UTC().Format(time.RFC3339))
		if wait == 0 {
			wait = max(v.ResetAt.Sub(now), 0)
		}
		out.RetryAfterSeconds = new(int64)
	}
	if wait > 0 {
		seconds := int64(math.Ceil(wait.Seconds()))
		out.RetryAfterSeconds = &seconds
	}
	return json.NewEncoder(w).Encode(out)
}

// known is nil for a zero value.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
