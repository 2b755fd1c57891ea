package breaker_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ralph-run/ralph-run/breaker"
)

var noon = time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)

// histories sets how many a property is checked on.
func histories(t *testing.T, n int) {
	t.Helper()
	if testing.Short() {
		n /= 20
	}
	old := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	flag.Set("rapid.nofailfile", "true") // the seed is enough
	t.Cleanup(func() { flag.Set("rapid.checks", old) })
}

// ours is the breaker over a document in memory, used as the template is: one
// run after the other.
type ours struct {
	*breaker.Document
	now  time.Time
	opts breaker.Options
	n    int
	last breaker.Attempt
}

func decode(text string) *breaker.Document {
	d, err := breaker.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	return d
}

func (o *ours) acquire() string {
	o.n++
	var err error
	if o.last, err = o.Acquire(o.opts, fmt.Sprint("run/", o.n), nil, o.now); err != nil {
		panic(err)
	}
	return o.last.Model
}

func (o *ours) report(k breaker.Kind) {
	o.Report(o.opts, o.last, breaker.Outcome{Kind: k}, o.now)
}

// templateFields are all that the template keeps, times as moments.
func templateFields(s *cb) *breaker.Document {
	moment := func(at *string) time.Time {
		if at == nil {
			return time.Time{}
		}
		t, err := time.Parse(time.RFC3339Nano, *at)
		if err != nil {
			panic(err)
		}
		return t.UTC()
	}
	return &breaker.Document{
		CircuitState: breaker.CircuitState{State: breaker.State(s.State), CurrentFallbackIndex: s.CurrentFallbackIndex,
			OpenedAt: moment(s.OpenedAt), HalfOpenSuccesses: s.HalfOpenSuccesses, ConsecutiveFailures: s.ConsecutiveFailures,
			Metrics: breaker.Metrics{TotalFallbacks: s.Metrics.TotalFallbacks, TotalRecoveries: s.Metrics.TotalRecoveries,
				LastFallbackAt: moment(s.Metrics.LastFallbackAt), LastRecoveryAt: moment(s.Metrics.LastRecoveryAt)}},
		PreferredModel: s.PreferredModel, FallbackChain: s.FallbackChain, CooldownMinutes: s.CooldownMinutes,
	}
}

// sameFields compares them with a document's.
func sameFields(t *rapid.T, when string, want *cb, got *breaker.Document) {
	w := templateFields(want)
	c := got.CircuitState
	c.CooldownUntil, c.TrippedUntil, c.FailedProbes, c.Resets = time.Time{}, time.Time{}, 0, 0
	c.ProbeHolder, c.ProbeExpiresAt = "", time.Time{}
	if c != w.CircuitState || got.PreferredModel != w.PreferredModel || got.CooldownMinutes != w.CooldownMinutes ||
		!slices.Equal(got.FallbackChain, w.FallbackChain) {
		t.Fatalf("%s the file is\n%s\nthe template's\n%s", when, got.Encode(), want.toJSON())
	}
}

// amended is the template without those of its faults that one process alone
// can see. Each has a test of its own in differences_test.go.
type amended struct {
	template
	met map[string]int // how often each difference came up
}

func (a *amended) onSuccess() {
	a.updateCircuitBreakerOnSuccess()
	if s := a.getCircuitBreakerState(); s.State == "closed" && s.ConsecutiveFailures != 0 {
		a.met["a success is saved"]++
		s.ConsecutiveFailures = 0
		a.saveCircuitBreakerState(s)
	}
}

func (a *amended) onRateLimit() {
	before := a.getCircuitBreakerState()
	a.updateCircuitBreakerOnRateLimit()
	if before.State == "open" && before.CurrentFallbackIndex >= len(before.FallbackChain)-1 {
		a.met["an exhausted chain"]++
		s := a.getCircuitBreakerState()
		s.OpenedAt = before.OpenedAt
		a.saveCircuitBreakerState(s)
	}
}

func (a *amended) currentModel() string {
	s := a.getCircuitBreakerState()
	if s.State == "open" && s.OpenedAt != nil {
		if at, _ := time.Parse(time.RFC3339Nano, *s.OpenedAt); at.After(a.now) {
			a.met["the clock jumped back"]++
			s.OpenedAt = a.getDate()
			a.saveCircuitBreakerState(s)
		}
	}
	return a.getCurrentModel()
}

// drawFile returns a state that a person may have configured.
func drawFile(t *rapid.T) string {
	if rapid.IntRange(0, 3).Draw(t, "file") == 0 {
		return ""
	}
	d := breaker.Default()
	d.PreferredModel = "p"
	d.FallbackChain = []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "chain")]
	d.ConsecutiveFailures = rapid.IntRange(0, 2).Draw(t, "failures")
	d.CooldownMinutes = rapid.SampledFrom([]float64{0, 0.5, 1, 10, 60}).Draw(t, "cooldown")
	return string(d.Encode())
}

// drawStep moves the clock: mostly a little, sometimes past a cooldown, or back.
func drawStep(t *rapid.T) time.Duration {
	return rapid.SampledFrom([]time.Duration{
		0, time.Second, 29 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 599 * time.Second,
		10 * time.Minute, 11 * time.Minute, time.Hour, 100 * time.Nanosecond, -time.Minute, -time.Hour,
	}).Draw(t, "step")
}

// TestDifferential drives the template's functions and the breaker with the same
// sequential history: each run acquires its model, ends, and is reported. After
// every run both have the same model and the same fields, in the end also as the
// template reads them from our file.
func TestDifferential(t *testing.T) {
	histories(t, 10_000)
	met, total := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		total++
		file := drawFile(t)
		theirs := &amended{template{file: fromJSON(file), now: noon, zone: time.FixedZone("", 7200)}, met}
		we := &ours{Document: decode(file), now: noon}
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			step(t, we, theirs)
			met["state "+string(we.State)]++
			sameFields(t, "now", theirs.file, we.Document)
		}
		sameFields(t, "in the end", fromJSON(string(we.Encode())), we.Document)
	})
	for _, what := range []string{"a success is saved", "an exhausted chain", "the clock jumped back",
		"state closed", "state open", "state half-open"} {
		if met[what] == 0 {
			t.Errorf("no history met: %s", what)
		}
	}
	t.Logf("%d histories: %v", total, met)
}

// step is one run, from its model to its report.
func step(t *rapid.T, we *ours, theirs *amended) {
	now := we.now.Add(drawStep(t))
	we.now, theirs.now = now, now
	want := theirs.currentModel()
	if got := we.acquire(); got != want {
		t.Fatalf("the model is %s, the template's %s\n%s\n%s", got, want, we.Encode(), theirs.file.toJSON())
	}
	now = now.Add(drawStep(t).Abs())
	we.now, theirs.now = now, now
	kind := rapid.SampledFrom([]breaker.Kind{breaker.Success, breaker.Limit, breaker.Failure}).Draw(t, "end")
	switch kind {
	case breaker.Success:
		theirs.onSuccess()
	case breaker.Limit:
		theirs.onRateLimit()
	}
	we.report(kind)
}

// TestDifferentialRecord drives the template's two Update functions, in any
// order, against Record, which knows of no attempt.
func TestDifferentialRecord(t *testing.T) {
	histories(t, 2000)
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		theirs := &amended{template{file: fromJSON(file), now: noon, zone: time.UTC}, map[string]int{}}
		we := &ours{Document: decode(file), now: noon, opts: breaker.Options{Holder: "run"}}
		theirs.getCircuitBreakerState()
		acquired := false
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			now := we.now.Add(drawStep(t).Abs())
			we.now, theirs.now = now, now
			kind := breaker.Success
			switch rapid.IntRange(0, 2).Draw(t, "call") {
			case 0:
				if acquired { // a second probe at once is a difference of its own
					continue
				}
				if got, want := we.acquire(), theirs.currentModel(); got != want {
					t.Fatalf("the model is %s, the template's %s", got, want)
				}
				acquired = true
				continue
			case 1:
				kind = breaker.Limit
				theirs.onRateLimit()
			default:
				theirs.onSuccess()
			}
			acquired = false
			we.Record(we.opts, "", breaker.Outcome{Kind: kind}, now)
			sameFields(t, "after "+string(kind), theirs.file, we.Document)
		}
	})
}

// TestInterchange lets the template's functions and the breaker take turns at
// one file, call after call: each reads what the other wrote, and together they
// do what the template's functions do alone.
func TestInterchange(t *testing.T) {
	histories(t, 1000)
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600)
		alone := &amended{template{file: fromJSON(file), now: noon, zone: zone}, map[string]int{}}
		mixed := &amended{template{file: fromJSON(file), now: noon, zone: zone}, map[string]int{}}
		we := &ours{now: noon}
		for range rapid.IntRange(1, 10).Draw(t, "runs") {
			now := we.now.Add(drawStep(t).Abs())
			we.now, alone.now, mixed.now = now, now, now
			limited := rapid.Bool().Draw(t, "limited")
			want := alone.currentModel()
			var got string
			if rapid.Bool().Draw(t, "ours") {
				we.Document = decode(mixed.file.toJSON())
				got = we.acquire()
				we.report(map[bool]breaker.Kind{true: breaker.Limit, false: breaker.Success}[limited])
				mixed.file = fromJSON(string(we.Encode()))
			} else {
				got = mixed.currentModel()
				end(mixed, limited)
			}
			end(alone, limited)
			if got != want {
				t.Fatalf("the model is %s, the template's alone %s", got, want)
			}
			sameFields(t, "now", alone.file, decode(mixed.file.toJSON()))
		}
	})
}

func end(a *amended, limited bool) {
	if limited {
		a.onRateLimit()
	} else {
		a.onSuccess()
	}
}
