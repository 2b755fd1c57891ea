package breaker_test

import (
	"encoding/json"
	"flag"
	"fmt"
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

// ours is the breaker over a file in memory, used as the template is: one run
// after the other.
type ours struct {
	file string
	now  time.Time
	opts breaker.Options
	n    int
	doc  *breaker.Document // what is in the file
	last breaker.Attempt
}

// do changes the document as it is in the file.
func (o *ours) do(change func(d *breaker.Document)) {
	var err error
	if o.doc, err = breaker.Decode([]byte(o.file)); err != nil {
		panic(err)
	}
	change(o.doc)
	o.file = string(o.doc.Encode())
}

func (o *ours) acquire(d *breaker.Document) string {
	o.n++
	var err error
	if o.last, err = d.Acquire(o.opts, fmt.Sprint("run/", o.n), nil, o.now); err != nil {
		panic(err)
	}
	return o.last.Model
}

func (o *ours) report(d *breaker.Document, k breaker.Kind) {
	d.Report(o.opts, o.last, breaker.Outcome{Kind: k}, o.now)
}

// templateFields are all that the template keeps, times as moments.
func templateFields(file string) string {
	var s cb
	if err := json.Unmarshal([]byte(file), &s); err != nil {
		panic(err)
	}
	for _, at := range []*string{s.OpenedAt, s.Metrics.LastFallbackAt, s.Metrics.LastRecoveryAt} {
		if at != nil {
			t, err := time.Parse(time.RFC3339Nano, *at)
			if err != nil {
				panic(err)
			}
			*at = t.UTC().Format(time.RFC3339Nano)
		}
	}
	b, _ := json.MarshalIndent(s, "", " ")
	return string(b)
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
// every step both have the same model and the same fields in the file.
func TestDifferential(t *testing.T) {
	histories(t, 10_000)
	met, total := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		total++
		file := drawFile(t)
		theirs := &amended{template{file: file, now: noon, zone: time.FixedZone("", 7200)}, met}
		we := &ours{file: file, now: noon}
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			we.do(func(d *breaker.Document) { step(t, we, theirs, d) })
			met["state "+string(we.doc.State)]++
			if got, want := templateFields(we.file), templateFields(theirs.file); got != want {
				t.Fatalf("the file is\n%s\nthe template's\n%s", got, want)
			}
		}
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
func step(t *rapid.T, we *ours, theirs *amended, d *breaker.Document) {
	now := we.now.Add(drawStep(t))
	we.now, theirs.now = now, now
	want := theirs.currentModel()
	if got := we.acquire(d); got != want {
		t.Fatalf("the model is %s, the template's %s\n%s\n%s", got, want, d.Encode(), theirs.file)
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
	we.report(d, kind)
}

// TestDifferentialRecord drives the template's two Update functions, in any
// order, against Record, which knows of no attempt.
func TestDifferentialRecord(t *testing.T) {
	histories(t, 1000)
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		theirs := &amended{template{file: file, now: noon, zone: time.UTC}, map[string]int{}}
		we := &ours{file: file, now: noon, opts: breaker.Options{Holder: "run"}}
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
				we.do(func(d *breaker.Document) {
					if got, want := we.acquire(d), theirs.currentModel(); got != want {
						t.Fatalf("the model is %s, the template's %s", got, want)
					}
				})
				acquired = true
				continue
			case 1:
				kind = breaker.Limit
				theirs.onRateLimit()
			default:
				theirs.onSuccess()
			}
			acquired = false
			we.do(func(d *breaker.Document) { d.Record(we.opts, "", breaker.Outcome{Kind: kind}, now) })
			if got, want := templateFields(we.file), templateFields(theirs.file); got != want {
				t.Fatalf("after %s the file is\n%s\nthe template's\n%s", kind, got, want)
			}
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
		alone := &amended{template{file: file, now: noon, zone: zone}, map[string]int{}}
		mixed := &amended{template{file: file, now: noon, zone: zone}, map[string]int{}}
		we := &ours{file: file, now: noon}
		for range rapid.IntRange(1, 10).Draw(t, "runs") {
			now := we.now.Add(drawStep(t).Abs())
			we.now, alone.now, mixed.now = now, now, now
			limited := rapid.Bool().Draw(t, "limited")
			want := alone.currentModel()
			var got string
			if rapid.Bool().Draw(t, "ours") {
				we.file = mixed.file
				we.do(func(d *breaker.Document) {
					got = we.acquire(d)
					we.report(d, map[bool]breaker.Kind{true: breaker.Limit, false: breaker.Success}[limited])
				})
				mixed.file = we.file
			} else {
				got = mixed.currentModel()
				end(mixed, limited)
			}
			end(alone, limited)
			if got != want {
				t.Fatalf("the model is %s, the template's alone %s", got, want)
			}
			if got, want := templateFields(mixed.file), templateFields(alone.file); got != want {
				t.Fatalf("the file is\n%s\nthe template's alone\n%s", got, want)
			}
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
