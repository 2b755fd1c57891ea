package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/ralph-run/ralph-run/breaker"
)

// A view is how reports are shown.
type view struct {
	paint
	many bool // more than one may have been asked for
	none bool // none was found
	json bool
}

func (v view) show(out io.Writer, reports []statusReport) error {
	var w bytes.Buffer // one write, whose error is ours
	if err := v.render(&w, reports); err != nil {
		return err
	}
	_, err := w.WriteTo(out)
	return err
}

func (v view) render(w io.Writer, reports []statusReport) error {
	switch {
	case v.json && v.many:
		return printJSON(w, reports)
	case v.json && len(reports) == 1:
		return printJSON(w, reports[0])
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		r.print(w, v.paint)
	}
	if v.none && len(reports) == 0 {
		fmt.Fprintln(w, "no state files")
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// watch shows reports again and again: on a terminal every second in place of
// those before, elsewhere whenever something has changed. A state that cannot be
// read now may be in a second: a foreign writer is not done with it.
func (p *program) watch(ctx context.Context, v view, read func() ([]statusReport, []error)) error {
	onTerminal := term.IsTerminal(int(p.stdout.Fd()))
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last []byte
	for {
		reports, errs := read()
		var screen bytes.Buffer
		if err := v.show(&screen, reports); err != nil {
			return err
		}
		content, err := json.Marshal(reports) // nothing in it is told from now
		if err != nil {
			return err
		}
		content = fmt.Append(content, errs)
		changed := !bytes.Equal(content, last)
		switch {
		case onTerminal:
			_, err = fmt.Fprintf(p.stdout, "\x1b[H\x1b[2J%s", &screen)
		case changed:
			_, err = p.stdout.Write(screen.Bytes())
		}
		if onTerminal || changed {
			for _, err := range errs {
				p.ended(err)
			}
		}
		if last = content; err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// print shows a report to a person, on one screen.
func (r statusReport) print(w io.Writer, ui paint) {
	fmt.Fprintln(w, ui.bold(printable(r.File)))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("state", "%s", r.stateWords(ui))
	if r.Next.Model == "" {
		row("next run", "%s", ui.red(r.Next.Why))
	} else {
		row("next run", "%s (%s): %s", ui.bold(printable(r.Next.Model)), r.Next.Role, r.Next.Why)
	}
	if words := r.recoveryWords(); words != "" {
		row("recovery", "%s", words)
	}
	row("chain", "%s", r.chainWords(ui))
	for _, m := range slices.Sorted(maps.Keys(r.LimitedUntil)) {
		if until, err := time.Parse(time.RFC3339, r.LimitedUntil[m]); err == nil {
			row("limited", "%s until %s (%s)", printable(m), clock(until, r.now), shortDuration(until.Sub(r.now)))
		}
	}
	row("fallbacks", "%s", r.countWords(r.Metrics.TotalFallbacks, r.Metrics.LastFallbackAt))
	row("recoveries", "%s", r.countWords(r.Metrics.TotalRecoveries, r.Metrics.LastRecoveryAt))
	for _, m := range slices.Sorted(maps.Keys(r.OtherCircuits)) {
		row("circuit", "%s: %s", printable(m), r.OtherCircuits[m])
	}
	r.printNotes(row)
}

func (r statusReport) printNotes(row func(name, format string, args ...any)) {
	if r.InUse != r.File {
		row("file", "%s", r.InUse)
	}
	for _, n := range r.Notes {
		row("note", "%s", printable(n))
	}
	if !r.Written {
		row("note", "nothing is written there yet; these are the defaults, and the first run writes them")
	}
	for _, warning := range r.Warnings {
		row("warning", "%s", printable(warning))
	}
}

func (r statusReport) stateWords(ui paint) string {
	since := ""
	if r.OpenedAt != nil {
		since = fmt.Sprintf(" since %s (%s ago)", clock(*r.OpenedAt, r.now), shortDuration(r.now.Sub(*r.OpenedAt)))
	}
	switch {
	case r.State == breaker.Closed:
		return ui.green("closed") + ": " + printable(r.PreferredModel) + " is fine"
	case r.State == breaker.Open && r.TrippedUntil != nil:
		return ui.red("open") + since + ", by hand until " + clock(*r.TrippedUntil, r.now)
	case r.State == breaker.Open:
		return ui.red("open") + since + ": " + printable(r.PreferredModel) + " is rate limited"
	default:
		return fmt.Sprintf("%s: %s is being tested, %d of %d successes", ui.yellow(string(r.State)),
			printable(r.PreferredModel), r.HalfOpenSuccesses, r.SuccessesToClose)
	}
}

func (r statusReport) recoveryWords() string {
	switch {
	case r.Probe != nil:
		return fmt.Sprintf("%s holds the probe until %s", printable(r.Probe.Holder), clock(r.Probe.ExpiresAt, r.now))
	case r.ProbeAt == nil:
		return ""
	case !r.ProbeAt.After(r.now):
		return fmt.Sprintf("the next run tries %s again", printable(r.PreferredModel))
	}
	return fmt.Sprintf("%s is tried again at %s (in %s)", printable(r.PreferredModel), clock(*r.ProbeAt, r.now), shortDuration(r.ProbeAt.Sub(r.now)))
}

// chainWords shows the models in order, the next run's marked.
func (r statusReport) chainWords(ui paint) string {
	var words []string
	for _, m := range append([]string{r.PreferredModel}, r.FallbackChain...) {
		if m == r.Next.Model {
			words = append(words, ui.bold("["+printable(m)+"]"))
		} else {
			words = append(words, printable(m))
		}
	}
	if len(words) == 1 {
		words = append(words, "(no fallback)")
	}
	return strings.Join(words, " → ") + fmt.Sprintf(", cooldown %s", shortDuration(time.Duration(r.CooldownMinutes*float64(time.Minute))))
}

func (r statusReport) countWords(n int, last *time.Time) string {
	if last == nil {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d, the last at %s", n, clock(*last, r.now))
}
