package breaker_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

const minute = time.Minute

// A run is one attempt of a script: when it starts, what was tried before, what
// it must get, and how it ends after a second.
type run struct {
	after time.Duration // since noon
	tried []string
	model string // "" = exhausted
	role  breaker.Role
	end   breaker.Kind
	until time.Duration // stated reset, since noon; 0 = none
	// After the end:
	state breaker.State
	index int
}

const (
	sonnet = "claude-sonnet-4.6"
	mini54 = "gpt-5.4-mini"
	mini5  = "gpt-5-mini"
	gpt41  = "gpt-4.1"
)

var machineTests = []struct {
	name string
	opts breaker.Options
	doc  func(d *D)
	runs []run
}{
	{name: "closed stays closed", runs: []run{
		{model: sonnet, role: breaker.Preferred, end: breaker.Success, state: breaker.Closed},
		{model: sonnet, role: breaker.Preferred, end: breaker.Failure, state: breaker.Closed},
		{model: sonnet, role: breaker.Preferred, end: breaker.Unavailable, state: breaker.Closed},
		{tried: []string{sonnet}, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Closed},
		{tried: []string{sonnet}, model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.Closed},
	}},
	{name: "through the chain in one invocation", runs: []run{
		{model: sonnet, role: breaker.Preferred, end: breaker.Limit, state: breaker.Open},
		{tried: []string{sonnet}, model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 1},
		{tried: []string{sonnet, mini54}, model: mini5, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
		{tried: []string{sonnet, mini54, mini5}, model: gpt41, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
		{tried: []string{sonnet, mini54, mini5, gpt41}},
		{model: gpt41, role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 2},
	}},
	{name: "opened by hand for less than the cooldown", opts: breaker.Options{Jitter: 1},
		doc: func(d *D) { d.Trip(breaker.Options{}, minute, noon) }, runs: []run{
			{after: minute + 5*time.Second, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
			{after: minute + 6*time.Second, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
			{after: 9 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		}},
	{name: "opened by hand, closed and opened again by another writer",
		doc: func(d *D) { open(d, 0); d.TrippedUntil = noon.Add(-minute) }, runs: []run{
			{after: 9 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		}},
	{name: "back to the models before the index", doc: func(d *D) { open(d, 0); d.CurrentFallbackIndex = 2 }, runs: []run{
		{model: gpt41, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
		{tried: []string{gpt41}, model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
		{tried: []string{gpt41, mini54}, model: mini5, role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 2},
	}},
	{name: "a fallback known to be limited is skipped", doc: func(d *D) { open(d, 0); limited(d, 30*minute, mini54) }, runs: []run{
		{model: mini5, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{model: mini5, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
		{after: minute, tried: []string{gpt41}, model: mini5, role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 2},
	}},
	{name: "every model limited until a stated time", doc: func(d *D) { open(d, 0); limited(d, 30*minute, sonnet, mini54, mini5, gpt41) }, runs: []run{
		{after: 9 * minute}, {after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Limit, until: 50 * minute, state: breaker.Open},
		{after: 11 * minute}, {after: 29 * minute},
		{after: 30 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
	}},
	{name: "one run probes while every model is limited", doc: func(d *D) { open(d, 0); limited(d, 30*minute, sonnet, mini54, mini5, gpt41) }, runs: []run{
		{after: 10 * minute, model: sonnet, role: breaker.Probe},
		{after: 10 * minute}, {after: 11 * minute},
		{after: 12 * minute, model: sonnet, role: breaker.Probe, end: breaker.Failure, state: breaker.HalfOpen},
		{after: 12 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "try all the same", opts: breaker.Options{TryExhausted: true}, doc: func(d *D) { open(d, 0); limited(d, 30*minute, mini54, mini5, gpt41) }, runs: []run{
		{model: gpt41, role: breaker.Fallback, end: breaker.Limit, until: 40 * minute, state: breaker.Open, index: 2},
		{tried: []string{gpt41}},
	}},
	{name: "only the preferred model", doc: func(d *D) { d.FallbackChain = nil }, runs: []run{
		{model: sonnet, role: breaker.Preferred, end: breaker.Limit, until: 30 * minute, state: breaker.Open},
		{tried: []string{sonnet}}, {after: minute}, {after: 29 * minute},
		{after: 30 * minute, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
		{after: 31 * minute, model: sonnet, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 31 * minute, model: sonnet, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open},
		{after: 41 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "duplicates and the preferred model in the chain",
		doc: func(d *D) { d.FallbackChain = []string{mini54, sonnet, mini54, mini5, sonnet, ""}; open(d, 0) }, runs: []run{
			{model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 3},
			{model: mini5, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 3},
			{model: mini5, role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 3},
			{tried: []string{mini5, mini54}},
		}},
	{name: "index outside the chain", doc: func(d *D) { open(d, 0); d.CurrentFallbackIndex = 99 }, runs: []run{
		{model: gpt41, role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 99},
		{model: gpt41, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 2},
	}},
	{name: "a fallback's limit while another probes", doc: func(d *D) { open(d, 0) }, runs: []run{
		{after: 10 * minute, model: sonnet, role: breaker.Probe},
		{after: 10 * minute, model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.HalfOpen, index: 1},
		{after: 10 * minute, model: mini5, role: breaker.Fallback, end: breaker.Success, state: breaker.HalfOpen, index: 1},
	}},
	{name: "three successes to close", doc: func(d *D) { open(d, 0); d.SuccessesToClose = 3 }, runs: []run{
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.Closed},
	}},
	{name: "successes left from an earlier time", doc: func(d *D) { open(d, 0); d.HalfOpenSuccesses = 1 }, runs: []run{
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "the cooldown doubles at each failed probe", doc: func(d *D) { open(d, 0); d.CooldownBackoff, d.MaxCooldownMinutes = 2, 35 }, runs: []run{
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
		{after: 30 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 30*minute + time.Second, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
		{after: 65 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 66 * minute, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
		{after: 100 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 102 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "a cooldown of this process", opts: breaker.Options{Cooldown: 2 * minute}, doc: func(d *D) { open(d, 0) }, runs: []run{
		{after: 119 * time.Second, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 2 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "jitter is later, by a tenth at most", opts: breaker.Options{Jitter: 1}, doc: func(d *D) { open(d, 0) }, runs: []run{
		{after: 11*minute - time.Second, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 11 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "jitter out of range", opts: breaker.Options{Jitter: -7}, doc: func(d *D) { open(d, 0) }, runs: []run{
		{after: 10*minute - time.Second, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 10 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "a stated reset is cut to the longest cooldown", runs: []run{
		{model: sonnet, role: breaker.Preferred, end: breaker.Limit, until: 58 * 60 * minute, state: breaker.Open},
		{after: 60 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 60*minute + time.Second, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "the clock jumps forward a day and back", doc: func(d *D) { open(d, 24*60*minute); d.CooldownUntil = noon.Add(24 * 60 * minute) }, runs: []run{
		{model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 59 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 60 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "a lease from the future", doc: func(d *D) {
		d.State, d.ProbeHolder, d.ProbeExpiresAt = breaker.HalfOpen, "x", noon.Add(24*60*minute)
	}, runs: []run{
		{model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.HalfOpen},
		{after: 2 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen},
	}},
	{name: "open without a time, as the template has it", doc: func(d *D) { d.State = breaker.Open }, runs: []run{
		{after: 600 * minute, model: mini54, role: breaker.Fallback, end: breaker.Success, state: breaker.Open},
		{after: 600 * minute, model: mini54, role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 1},
		{after: 611 * minute, model: sonnet, role: breaker.Probe, end: breaker.Success, state: breaker.HalfOpen, index: 1},
	}},
	{name: "a chain of this process", opts: breaker.Options{Fallback: []string{"x", "y"}}, doc: func(d *D) { open(d, 0) }, runs: []run{
		{model: "x", role: breaker.Fallback, end: breaker.Limit, state: breaker.Open, index: 1},
		{model: "y", role: breaker.Fallback, end: breaker.Success, state: breaker.Open, index: 1},
	}},
	{name: "no cooldown at all", doc: func(d *D) { d.CooldownMinutes = -1 }, runs: []run{
		{model: sonnet, role: breaker.Preferred, end: breaker.Limit, state: breaker.Open},
		{after: minute, model: sonnet, role: breaker.Probe, end: breaker.Limit, state: breaker.Open},
	}},
}

func open(d *D, since time.Duration) {
	d.State, d.OpenedAt, d.Metrics.TotalFallbacks = breaker.Open, noon.Add(since), 1
}

func limited(d *D, until time.Duration, models ...string) {
	d.LimitedUntil = map[string]time.Time{}
	for _, m := range models {
		d.LimitedUntil[m] = noon.Add(until)
	}
}

func TestMachine(t *testing.T) {
	for _, tt := range machineTests {
		t.Run(tt.name, func(t *testing.T) {
			d := breaker.Default()
			if tt.doc != nil {
				tt.doc(d)
			}
			for i, r := range tt.runs {
				now := noon.Add(r.after)
				got, err := d.Acquire(tt.opts, string(rune('A'+i)), r.tried, now)
				var exhausted *breaker.ExhaustedError
				if r.model == "" {
					if !errors.As(err, &exhausted) {
						t.Fatalf("run %d: Acquire() = %+v, %v, want an ExhaustedError", i, got, err)
					}
					continue
				}
				if err != nil || got.Model != r.model || got.Role != r.role || got.Why == "" {
					t.Fatalf("run %d: Acquire() = %+v, %v, want %s as %s", i, got, err, r.model, r.role)
				}
				if r.end == "" {
					continue // never heard of again
				}
				out := breaker.Outcome{Kind: r.end}
				if r.until != 0 {
					out.Until = noon.Add(r.until)
				}
				ch := d.Report(tt.opts, got, out, now.Add(time.Second))
				if ch.To != r.state || d.State != r.state || d.CurrentFallbackIndex != r.index {
					t.Fatalf("run %d: Report(%+v) = %+v, index %d, want %s, %d", i, out, ch, d.CurrentFallbackIndex, r.state, r.index)
				}
			}
		})
	}
}

func TestExhausted(t *testing.T) {
	d := with(func(d *D) {
		open(d, 0)
		limited(d, 30*minute, sonnet, mini54, mini5, gpt41)
		d.LimitedUntil[mini5] = noon.Add(5 * minute)
	})
	_, err := d.Acquire(breaker.Options{}, "x", []string{mini5}, noon)
	var e *breaker.ExhaustedError
	if !errors.As(err, &e) || !slices.Equal(e.Models, []string{sonnet, mini54, mini5, gpt41}) || !e.Until.Equal(noon.Add(5*minute)) {
		t.Errorf("Acquire() = %+v, want all models until %v", err, noon.Add(5*minute))
	}
	// The circuit is closed and nothing is known: every model was tried.
	_, err = breaker.Default().Acquire(breaker.Options{}, "x", []string{sonnet, mini54, mini5, gpt41}, noon)
	if !errors.As(err, &e) || !e.Until.IsZero() {
		t.Errorf("Acquire() = %+v, want an unknown time", err)
	}
	want := "every model is rate limited: claude-sonnet-4.6, gpt-5.4-mini, gpt-5-mini, gpt-4.1"
	if err.Error() != want {
		t.Errorf("Error() = %q, want %q", err, want)
	}
}

// TestStale holds that the report of an older generation changes nothing but
// when a model is known to come back.
func TestStale(t *testing.T) {
	d := breaker.Default()
	early, first := give(t, d, "early", noon), give(t, d, "first", noon)
	limit(d, first, noon)
	before := d.Clone()
	if ch := success(d, early, noon.Add(minute)); !ch.Stale || !d.Equal(before) {
		t.Errorf("a stale success: %+v\n%s", ch, d.Encode())
	}
	if ch := limit(d, early, noon.Add(minute)); !ch.Stale || !d.Equal(before) {
		t.Errorf("a stale limit: %+v\n%s", ch, d.Encode())
	}
	out := breaker.Outcome{Kind: breaker.Limit, Until: noon.Add(20 * minute)}
	ch := d.Report(breaker.Options{}, early, out, noon.Add(minute))
	if !ch.Stale || !ch.Until.Equal(noon.Add(20*minute)) || d.CircuitState.OpenedAt != before.OpenedAt {
		t.Errorf("a stale limit with a later reset: %+v\n%s", ch, d.Encode())
	}
	out.Until = noon.Add(15 * minute)
	if ch := d.Report(breaker.Options{}, early, out, noon.Add(minute)); !ch.Until.Equal(noon.Add(20 * minute)) {
		t.Errorf("a stale limit with an earlier reset: %+v", ch)
	}
}

// TestReportTwice holds that a report that is sent twice counts once.
func TestReportTwice(t *testing.T) {
	d := with(func(d *D) { open(d, 0) })
	probe := give(t, d, "probe", noon.Add(10*minute))
	success(d, probe, noon.Add(11*minute))
	if ch := success(d, probe, noon.Add(11*minute)); !ch.Stale || d.HalfOpenSuccesses != 1 {
		t.Errorf("one success sent twice: %+v, %d successes", ch, d.HalfOpenSuccesses)
	}
}

// TestMarks holds what is remembered of single models, and for how long.
func TestMarks(t *testing.T) {
	o := breaker.Options{}
	stated := func(d time.Duration) breaker.Outcome { return breaker.Outcome{Kind: breaker.Limit, Until: noon.Add(d)} }
	d := with(func(d *D) { open(d, 0); limited(d, 5*minute, "gone") })
	one, two := give(t, d, "1", noon), give(t, d, "2", noon)
	d.Report(o, one, stated(30*minute), noon.Add(6*minute))
	d.Report(o, two, stated(20*minute), noon.Add(6*minute))
	if got := d.LimitedUntil[mini54]; !got.Equal(noon.Add(30 * minute)) {
		t.Errorf("an earlier reset replaced a later one: %v", got)
	}
	if len(d.LimitedUntil) != 1 {
		t.Errorf("a limit that is over is still known: %v", d.LimitedUntil)
	}

	probe := give(t, d, "3", noon.Add(16*minute))
	opened := d.OpenedAt
	limit(d, give(t, d, "4", noon.Add(17*minute)), noon.Add(17*minute))
	if d.State != breaker.HalfOpen || d.OpenedAt != opened {
		t.Errorf("a fallback's limit while another probes moved openedAt to %v", d.OpenedAt)
	}
	success(d, probe, noon.Add(18*minute))
	d.LimitedUntil[sonnet] = noon.Add(50 * minute)
	success(d, give(t, d, "5", noon.Add(18*minute)), noon.Add(18*minute))
	if d.State != breaker.Closed || !d.LimitedUntil[sonnet].IsZero() || d.LimitedUntil[mini54].IsZero() {
		t.Errorf("after the recovery %s is limited: %v", d.State, d.LimitedUntil)
	}
	d.CooldownUntil = noon.Add(50 * minute)
	d.Reset(o, noon.Add(19*minute))
	if len(d.LimitedUntil) != 0 || !d.CooldownUntil.IsZero() {
		t.Errorf("after Reset: %v, %v", d.LimitedUntil, d.CooldownUntil)
	}
}
