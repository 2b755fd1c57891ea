package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/breaker"
)

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show the circuit: its state, the next run's model, and when recovery is tried",
		ArgsUsage: "[FILE…]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "all", Usage: "`DIR` every state file at or below DIR"},
			&cli.BoolFlag{Name: "watch", Usage: "show it again whenever it changes, until interrupted"},
			&cli.BoolFlag{Name: "json", Usage: "show it as JSON: one object, or a list where several files are named"},
		},
		Action: p.status,
	}
}

func (p *program) status(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err != nil {
		return err
	}
	places := c.Args().Slice()
	if dir := c.String("all"); dir != "" {
		found, err := findStates(dir)
		if err != nil {
			return err
		}
		places = append(places, found...)
	}
	many := len(places) > 1 || c.String("all") != ""
	if len(places) == 0 && !many {
		place, err := statePlace(s)
		if err != nil {
			return err
		}
		places = []string{place}
	}
	v := view{paint: newPaint(p.stdout, p.env), many: many, none: len(places) == 0, json: c.Bool("json")}
	if c.Bool("watch") {
		return p.watch(c.Context, v, func() ([]statusReport, []error) { return statusesOf(c.Context, s, places) })
	}
	reports, errs := statusesOf(c.Context, s, places)
	if err := v.show(p.stdout, reports); err != nil {
		return err
	}
	for _, err := range errs {
		p.end = p.ended(err)
	}
	return nil
}

// findStates lists the state files in every .squad at or below a folder.
func findStates(dir string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil: // a folder that may not be read has no news for this user
			return nil
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !d.IsDir() && d.Name() == breaker.StateFile && filepath.Base(filepath.Dir(path)) == breaker.StateFolder:
			list = append(list, path)
		}
		return nil
	})
	return list, err
}

// statusesOf reads all that can be read.
func statusesOf(ctx context.Context, s settings, places []string) ([]statusReport, []error) {
	reports := []statusReport{}
	var errs []error
	for _, place := range places {
		r, err := statusOf(ctx, s, place)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		reports = append(reports, r)
	}
	return reports, errs
}

// unreadable says what to do about a state that cannot be shown.
func unreadable(place string, err error) error {
	hint := "ralph-run --state " + quoteWord(place) + " doctor says what to do"
	if info, statErr := os.Stat(place); statErr == nil && info.IsDir() {
		hint = "ralph-run status --all " + quoteWord(place) + " shows every state file below it"
	}
	return &hintError{fmt.Errorf("status of %s: %w", place, err), hint}
}

// A statusReport is what status shows of one state.
type statusReport struct {
	File                 string            `json:"file"` // as asked for
	InUse                string            `json:"inUse"`
	Written              bool              `json:"written"`
	State                breaker.State     `json:"state"`
	OpenedAt             *time.Time        `json:"openedAt"`
	PreferredModel       string            `json:"preferredModel"`
	FallbackChain        []string          `json:"fallbackChain"`
	CurrentFallbackIndex int               `json:"currentFallbackIndex"`
	CooldownMinutes      float64           `json:"cooldownMinutes"`
	Next                 nextRun           `json:"next"`
	ProbeAt              *time.Time        `json:"probeAt"` // when recovery is tried
	Probe                *probe            `json:"probe"`   // who tries it now
	HalfOpenSuccesses    int               `json:"halfOpenSuccesses"`
	SuccessesToClose     int               `json:"successesToClose"`
	LimitedUntil         map[string]string `json:"limitedUntil"`
	Metrics              metrics           `json:"metrics"`
	OtherCircuits        map[string]string `json:"otherCircuits"` // their states, by preferred model
	Notes                []string          `json:"notes"`         // such as who else writes the file
	Warnings             []string          `json:"warnings"`
	TrippedUntil         *time.Time        `json:"trippedUntil"` // opened by hand until then

	now time.Time
}

type nextRun struct {
	Model string       `json:"model"` // "" = none: every model is limited
	Role  breaker.Role `json:"role"`
	Why   string       `json:"why"`
}

type probe struct {
	Holder    string    `json:"holder"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type metrics struct {
	TotalFallbacks  int        `json:"totalFallbacks"`
	TotalRecoveries int        `json:"totalRecoveries"`
	LastFallbackAt  *time.Time `json:"lastFallbackAt"`
	LastRecoveryAt  *time.Time `json:"lastRecoveryAt"`
}

// statusOf reads one state. It changes nothing, not even what is overdue.
func statusOf(ctx context.Context, s settings, place string) (statusReport, error) {
	opts := circuitOptions(s)
	notes := []string{}
	st, err := openState(s, place, opts, func(n breaker.Notice) { notes = append(notes, n.Text) })
	if err != nil {
		return statusReport{}, err
	}
	d, now, err := st.store.View(ctx)
	if err != nil {
		return statusReport{}, unreadable(st.place, err)
	}
	r := statusReport{
		File: st.place, InUse: st.inUse(ctx), Written: !d.Fresh(), Notes: notes, now: now,
		PreferredModel: d.PreferredModel, FallbackChain: d.FallbackChain,
		CooldownMinutes: d.Cooldown().Minutes(), SuccessesToClose: d.SuccessesToClose,
		LimitedUntil: map[string]string{}, OtherCircuits: map[string]string{}, Warnings: []string{},
	}
	r.circuit(d, opts, now)
	for m, until := range d.LimitedUntil {
		if until.After(now) {
			r.LimitedUntil[m] = until.UTC().Format(time.RFC3339)
		}
	}
	for m, other := range d.Circuits {
		r.OtherCircuits[m] = string(other.State)
	}
	for _, w := range d.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	return r, nil
}

// circuit takes over what is known of the circuit that --prefer chooses.
func (r *statusReport) circuit(d *breaker.Document, opts breaker.Options, now time.Time) {
	c := &d.CircuitState
	if opts.Prefer != "" && opts.Prefer != d.PreferredModel {
		r.PreferredModel = opts.Prefer
		if c = d.Circuits[opts.Prefer]; c == nil {
			c = &breaker.CircuitState{State: breaker.Closed}
		}
	}
	if opts.Fallback != nil {
		r.FallbackChain = opts.Fallback
	}
	r.State, r.OpenedAt = c.State, moment(c.OpenedAt)
	if c.TrippedUntil.After(now) {
		r.TrippedUntil = moment(c.TrippedUntil)
	}
	r.CurrentFallbackIndex, r.HalfOpenSuccesses = c.CurrentFallbackIndex, c.HalfOpenSuccesses
	r.Metrics = metrics{
		c.Metrics.TotalFallbacks, c.Metrics.TotalRecoveries,
		moment(c.Metrics.LastFallbackAt), moment(c.Metrics.LastRecoveryAt),
	}
	if c.ProbeHolder != "" && c.ProbeExpiresAt.After(now) {
		r.Probe = &probe{c.ProbeHolder, c.ProbeExpiresAt.UTC()}
	}
	r.ProbeAt = moment(d.NextProbe(opts, now))
	next, err := d.Clone().Acquire(opts, "status", nil, now)
	r.Next = nextRun{next.Model, next.Role, next.Why}
	if err != nil {
		r.Next.Why = exhaustedLine(err, now)
	}
}

// moment is nil for no time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
