package main

// Every line that ralph-run shows is made here. The rules:
//
//   - A line on stderr begins "ralph-run: ", so that it is never taken for the
//     child's. Reports that were asked for go to stdout, without it.
//   - A line says what happened, then what to do, in lower case, without a full
//     stop: `ralph-run: no-such-command: command not found`.
//   - A hint is a line of its own: `ralph-run: hint: …`.
//   - What the user typed is quoted as typed, unless it may hold a prompt or a
//     secret: the words of COMMAND are never repeated beyond its name.
//   - Times are local and short for a person, RFC 3339 in UTC in JSON.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/supervisor"
)

const prefix = "ralph-run: "

// statusMistake is bad usage, or a failure of ralph-run itself, as env(1) and
// timeout(1) have it.
const statusMistake = 125

// A usageError is a mistake on the command line or in the environment.
type usageError struct{ text, hint string }

func (e *usageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) *usageError {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// A hintError is an error with what to do about it.
type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

// say shows one line of ours.
func say(w io.Writer, line string) {
	fmt.Fprintln(w, prefix+strings.ReplaceAll(line, "\n", " "))
}

// shortDuration words a duration for a person: 45s, 12m, 3h05m, 2d04h.
func shortDuration(d time.Duration) string {
	minutes, hours := int(d.Round(time.Minute).Minutes()), int(d.Round(time.Hour).Hours())
	switch {
	case d < time.Second/2:
		return "0s"
	case d.Round(time.Second) < time.Minute:
		return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
	}
	return fmt.Sprintf("%dd%02dh", hours/24, hours%24)
}

// clock words a moment as a person reads it from now: 14:05, or with the date
// if that is not today's.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// exhausted says until when every model is limited, and ends with 75.
func (p *program) exhausted(err error) error {
	say(p.stderr, exhaustedLine(err, time.Now()))
	say(p.stderr, "hint: --on-exhausted try goes on with the last of them all the same")
	p.end.Code = supervisor.TempFail
	return nil
}

func exhaustedLine(err error, now time.Time) string {
	var e *breaker.ExhaustedError
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Until.IsZero() {
		return "every model is rate limited: " + strings.Join(e.Models, ", ")
	}
	return fmt.Sprintf("every model is rate limited until %s (in %s): %s",
		clock(e.Until, now), shortDuration(e.Until.Sub(now)), strings.Join(e.Models, ", "))
}

// countdown shows on a terminal how long is left to wait, in one line that is
// drawn again and taken away at the end. Elsewhere it is nil.
func countdown(s settings, stderr *os.File) func(left time.Duration, until time.Time) {
	if s.quiet || !term.IsTerminal(int(stderr.Fd())) {
		return nil
	}
	return func(left time.Duration, until time.Time) {
		line := ""
		if left > 0 {
			line = fmt.Sprintf("%severy model is rate limited; waiting until %s (%s left)",
				prefix, clock(until, time.Now()), shortDuration(left))
		}
		if width, _, err := term.GetSize(int(stderr.Fd())); err == nil && width > 1 {
			line = cut(line, width-1) // a second row would stay
		}
		fmt.Fprint(stderr, "\r\x1b[K"+line) // one write, or it flickers
	}
}
