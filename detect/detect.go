// Package detect tells whether a run of an AI coding CLI ended because its model
// was rate limited.
//
// A [Detector] is fed the child's output exactly as it was read, in pieces of
// any size. It never holds output back: the caller forwards the bytes first and
// shows them to the Detector after. At the end it is told how the child ended
// and answers with a [Verdict].
//
// The package does no I/O, starts no goroutine and never reads the clock.
package detect

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Stream is where a piece of output came from.
type Stream int

const (
	Stdout   Stream = iota // the child's standard output, or both on one pipe
	Stderr                 // the child's standard error
	Terminal               // a pty: both, as a person saw them
	Log                    // the client's own log file, followed as it grows; only structured rules look at it
)

// A Kind is the answer of a Detector.
type Kind string

const (
	None        Kind = "none"        // nothing of interest
	Limit       Kind = "limit"       // a rate or quota limit stopped the run
	Overloaded  Kind = "overloaded"  // the provider had no capacity
	Unavailable Kind = "unavailable" // the provider does not offer the model
)

// A Scope says what a limit covers.
type Scope string

const (
	ScopeModel   Scope = "model"
	ScopeAccount Scope = "account"
	ScopeSession Scope = "session"
	ScopeWeekly  Scope = "weekly"
	ScopeUnknown Scope = "unknown"
)

// Options configure a [Detector]. The zero value is usable.
type Options struct {
	Client         string           // base name of the command, such as "copilot"; "" = unknown
	Prompt         string           // the prompt on the command line: its echo is no evidence
	LimitExitCodes []int            // statuses that alone mean a limit
	Match          []*regexp.Regexp // more patterns that mean a limit
	Ignore         []*regexp.Regexp // lines never looked at
	Split          bool             // Stderr is fed apart: no client's errors are mixed into Stdout
	Zone           *time.Location   // of clock times that name none; nil = UTC
	Explain        func(Look)       // called for every line that a rule looked at, if not nil
}

// A Look is one line that a rule looked at, for explain.
type Look struct {
	Stream  Stream
	Line    int    // counted from 1 within its stream
	Text    string // redacted
	Rule    string
	Counted bool
	Reason  string // why it counted, or why not
}

// A Verdict is what a run's output and exit status say about limits.
type Verdict struct {
	Kind       Kind
	Scope      Scope
	RetryAfter time.Duration // stated wait; 0 = none stated
	ResetAt    time.Time     // stated moment, or now+RetryAfter; zero = none stated
	Capped     bool          // the stated time was absurd and was cut
	Rule       string        // the rule that decided
	Evidence   string        // the line it decided on, redacted
	Stream     Stream
	DidWork    bool   // the run called tools or changed files before it ended
	SessionID  string // what --resume takes, where the client said it
}

// An Exit is how the child ended.
type Exit struct {
	Code     int  // 0–255; 128+n after signal n
	Signaled bool // ended by a signal
	ByUs     bool // after a signal of ours: the status says nothing
	Unknown  bool // not known (a saved transcript without a status)
}

// A Notice is a final limit notice that stands at the end of the output so far:
// structured, or anchored and known, on the stream where that client prints
// errors, with nothing of the model's answer after it. A client that repeats
// the same notice still stands on it.
type Notice struct {
	Verdict Verdict
	Sure    bool // the client's log or JSON says the same: no grace is needed
}

// A Wait is an unbroken series of limits that the client is sitting out in
// retries of its own. Only structured evidence (JSON events, the client's log)
// makes one.
type Wait struct {
	Series     int           // changes when a new series begins
	Count      int           // limits so far in this series
	RetryAfter time.Duration // the last one stated; 0 = none
	Verdict    Verdict       // what Close would say if the child were ended now
}

// A Detector looks for limits in one run's output.
//
// How the output was cut into pieces never changes what is found. Memory is
// bounded whatever it is fed. A Detector must not be used by two goroutines at
// once.
type Detector struct {
	opts    Options
	client  string
	echoes  []string // the prompt's lines, squeezed, each to be skipped once
	screens [4]screen
	run     run
	memo    *memo        // nil until a first text is looked at
	cleaned *slots[line] // nil until a first row is cleaned, rows as the rules see them
	seq     int          // feeds so far
	ahead   *run         // scratch for looking ahead
	events  eventReader
	batch   [maxRows][2]int // scratch: where the plain lines of a piece begin and end
}

// New returns a Detector for one run.
func New(opts Options) *Detector {
	d := &Detector{opts: opts, client: clientName(opts.Client)}
	d.run.d = d
	d.echoes = promptLines(d.client, opts.Prompt)
	d.screens[Terminal].window = true
	return d
}

// Feed shows the Detector the next piece of a stream.
func (d *Detector) Feed(s Stream, p []byte) {
	if s < 0 || int(s) >= len(d.screens) {
		return
	}
	d.seq++
	d.screens[s].seq = d.seq
	d.screens[s].write(p, sink{&d.run, s})
}

// Standing returns the final notice that the output so far ends on, if any.
// now resolves stated times.
func (d *Detector) Standing(now time.Time) (Notice, bool) {
	r := d.lookAhead()
	if !r.found || r.last.verdict != Limit || r.last.kind > notice || r.last.retries || r.last.introduced || r.other > 1 {
		return Notice{}, false
	}
	if d.run.found {
		d.run.waited = true
	}
	return Notice{Verdict: r.verdict(r.last, now), Sure: r.last.kind == structured || r.series.active}, true
}

// Waiting returns the series of limits that the client is sitting out, if any.
func (d *Detector) Waiting(now time.Time) (Wait, bool) {
	r := d.lookAhead()
	s := &r.series
	if !s.active {
		return Wait{}, false
	}
	v := r.verdict(s.last, now)
	return Wait{Series: s.id, Count: s.count, RetryAfter: v.RetryAfter, Verdict: v}, true
}

// Close ends the output and returns the verdict.
func (d *Detector) Close(e Exit, now time.Time) Verdict {
	if f, ok := d.end(e); ok {
		return d.run.verdict(f, now)
	}
	return Verdict{Kind: None, DidWork: d.run.work, SessionID: d.run.session}
}

// end takes what is held back as final, and decides.
func (d *Detector) end(e Exit) (finding, bool) {
	for id := range d.screens {
		d.screens[id].flush(sink{&d.run, Stream(id)})
	}
	d.screens = [4]screen{}
	return d.run.decide(e)
}

// lookAhead is the run as it would be if the output ended here.
func (d *Detector) lookAhead() *run {
	if d.ahead == nil {
		d.ahead = new(run)
	}
	r := d.ahead
	*r = d.run
	r.quiet = true
	for id := range d.screens {
		d.screens[id].flush(sink{r, Stream(id)})
	}
	return r
}

// clientName maps the names under which clients are started to one.
func clientName(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".exe"), ".cmd")
	switch {
	case strings.HasPrefix(name, "copilot"), name == "github-copilot-cli", name == "gh-copilot", strings.HasSuffix(name, "-copilot"):
		return "copilot"
	case name == "claude-code":
		return "claude"
	case strings.HasSuffix(name, "/codex"):
		return "codex"
	}
	return name
}

// promptLines are the lines that a client repeats from its prompt. Only codex
// is known to; of a client that is not known, all is possible.
func promptLines(client, prompt string) (lines []string) {
	if client != "codex" && client != "" {
		return nil
	}
	for l := range strings.Lines(cutText(prompt, 64<<10)) {
		if l = squeeze(l); len(l) >= 8 && len(lines) < 512 {
			lines = append(lines, l)
		}
	}
	return lines
}

// echo reports that a text is a line of the prompt that was not seen yet.
func (r *run) echo(text string) bool {
	if len(r.d.echoes) == 0 {
		return false
	}
	s := squeeze(text)
	for i, l := range r.d.echoes {
		if len(s) >= 8 && strings.Contains(l, s) {
			if !r.quiet {
				r.d.echoes[i] = strings.Replace(l, s, "", 1)
			}
			return true
		}
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }
