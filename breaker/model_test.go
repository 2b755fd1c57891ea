package breaker_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ralph-run/ralph-run/breaker"
)

// A world is any number of processes on one state file, with a person who edits
// it and a clock that jumps.
type world struct {
	file  string
	now   time.Time
	naive *naive
	runs  []breaker.Attempt // under way, or dead
	n     int
	odd   []string // unknown keys that the person added, in order
	floor time.Time
}

func newWorld() *world {
	return &world{now: noon, naive: &naive{
		preferred: breaker.DefaultPreferredModel, chain: breaker.DefaultFallbackChain(),
		cooldown: 10 * time.Minute, state: breaker.Closed, limitedUntil: map[string]time.Time{}}}
}

func (w *world) do(t *rapid.T, change func(d *breaker.Document)) *breaker.Document {
	d, err := breaker.Decode([]byte(w.file))
	if err != nil {
		t.Fatalf("the file does not parse: %v\n%s", err, w.file)
	}
	change(d)
	w.file = string(d.Encode())
	return d
}

func (w *world) acquire(t *rapid.T) {
	w.n++
	id := fmt.Sprint("run/", w.n)
	tried := rapid.SliceOfNDistinct(rapid.SampledFrom(append([]string{w.naive.preferred}, w.naive.chain...)), 0, 2,
		func(s string) string { return s }).Draw(t, "tried")
	was := w.naive.holder
	alive := was != "" && w.now.Before(w.naive.lease)
	w.do(t, func(d *breaker.Document) {
		got, err := d.Acquire(breaker.Options{}, id, tried, w.now)
		model, role := w.naive.acquire(id, tried, w.now)
		if (err != nil) != (model == "") || got.Model != model || got.Role != role {
			t.Fatalf("Acquire(%q) = %+v, %v; naive %q as %s", tried, got, err, model, role)
		}
		if err != nil {
			return
		}
		if slices.Contains(tried, got.Model) {
			t.Fatalf("Acquire(%q) gave %s again", tried, got.Model)
		}
		if got.Role == breaker.Probe && alive && w.naive.lease.Sub(w.now) <= leaseTime && d.ProbeHolder == was {
			t.Fatalf("two live probes: %s and %s", was, id)
		}
		w.runs = append(w.runs, got)
	})
}

// pick chooses a run that is under way.
func (w *world) pick(t *rapid.T) breaker.Attempt {
	if len(w.runs) == 0 {
		t.Skip("no run")
	}
	return w.runs[rapid.IntRange(0, len(w.runs)-1).Draw(t, "run")]
}

func (w *world) renew(t *rapid.T) {
	a := w.pick(t)
	w.do(t, func(d *breaker.Document) { d.Renew(breaker.Options{}, a, w.now) })
	w.naive.look(w.now)
	if a.Role == breaker.Probe && w.naive.holder == a.ID && a.Circuit == w.naive.preferred {
		w.naive.lease = w.now.Add(leaseTime)
	}
}

func (w *world) report(t *rapid.T) {
	a := w.pick(t)
	o := breaker.Outcome{Kind: rapid.SampledFrom([]breaker.Kind{breaker.Success, breaker.Success, breaker.Limit,
		breaker.Limit, breaker.Failure, breaker.Unavailable}).Draw(t, "kind")}
	if o.Kind == breaker.Limit && rapid.Bool().Draw(t, "stated") {
		o.Until = w.now.Add(rapid.SampledFrom([]time.Duration{-time.Minute, time.Minute, 30 * time.Minute,
			100 * time.Hour}).Draw(t, "until"))
	}
	w.do(t, func(d *breaker.Document) {
		before := d.Clone()
		before.Acquire(breaker.Options{}, "", []string{d.PreferredModel}, w.now) // puts the clock right
		ch := d.Report(breaker.Options{}, a, o, w.now)
		if stale := before.Generation() != a.Generation; stale && (!ch.Stale || d.State != before.State ||
			d.CurrentFallbackIndex != before.CurrentFallbackIndex || d.ConsecutiveFailures != before.ConsecutiveFailures ||
			d.HalfOpenSuccesses != before.HalfOpenSuccesses || d.Metrics != before.Metrics) {
			t.Fatalf("a stale report changed something: %+v\n%s\n%s", ch, before.Encode(), d.Encode())
		}
	})
	w.naive.report(a, o, w.now)
	if !rapid.Bool().Draw(t, "sent twice") {
		w.runs = slices.DeleteFunc(w.runs, func(b breaker.Attempt) bool { return b.ID == a.ID })
	}
}

func (w *world) die(t *rapid.T) {
	a := w.pick(t)
	w.runs = slices.DeleteFunc(w.runs, func(b breaker.Attempt) bool { return b.ID == a.ID })
}

// edit is a person who edits the file.
func (w *world) edit(t *rapid.T) {
	w.do(t, func(d *breaker.Document) {
		switch rapid.IntRange(0, 2).Draw(t, "edit") {
		case 0:
			d.PreferredModel = rapid.SampledFrom([]string{"claude-sonnet-4.6", "other"}).Draw(t, "model")
			w.naive.preferred = d.PreferredModel
		case 1:
			d.FallbackChain = []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "chain")]
			w.naive.chain = d.FallbackChain
		default:
			d.CooldownMinutes = float64(rapid.SampledFrom([]int{0, 1, 10, 60}).Draw(t, "cooldown"))
			w.naive.cooldown = time.Duration(d.CooldownMinutes) * time.Minute
		}
	})
}

func (w *world) addKey(t *rapid.T) {
	key := fmt.Sprintf("note%d", len(w.odd))
	w.do(t, func(*breaker.Document) {}) // so that there is a file
	at := strings.Index(w.file, rapid.SampledFrom([]string{`"state"`, `"cooldownMinutes"`, `"metrics"`}).Draw(t, "place"))
	w.file = w.file[:at] + fmt.Sprintf("%q: {\"n\": [1, 2.50, %q]},\n  ", key, key) + w.file[at:]
	w.odd = append(w.odd, key)
}

func (w *world) clock(t *rapid.T) {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, 2 * time.Minute, 10 * time.Minute,
		10 * time.Minute, time.Hour, 24 * time.Hour, -time.Hour, -time.Minute}).Draw(t, "jump"))
}

// check compares the file with the naive model, and holds the invariants.
func (w *world) check(t *rapid.T) {
	d, err := breaker.Decode([]byte(w.file))
	if err != nil {
		t.Fatalf("the file does not parse: %v\n%s", err, w.file)
	}
	if d.Fresh() {
		return
	}
	got := naive{d.PreferredModel, d.FallbackChain, d.Cooldown(), d.State, d.CurrentFallbackIndex, d.OpenedAt,
		d.HalfOpenSuccesses, d.ConsecutiveFailures, d.Metrics.TotalFallbacks, d.Metrics.TotalRecoveries,
		d.CooldownUntil, d.ProbeHolder, d.ProbeExpiresAt, d.LimitedUntil}
	want := *w.naive
	if want.holder == "" {
		want.lease = time.Time{}
	}
	if got.limitedUntil == nil {
		got.limitedUntil = map[string]time.Time{}
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("naive -, file +\n%s\n%s", cmp.Diff(want, got, cmp.AllowUnexported(naive{})), w.file)
	}
	if most := w.now.Add(longestWait); w.floor.After(most) {
		w.floor = most // the clock was put back
	}
	if d.CooldownUntil.Before(w.floor) {
		t.Fatalf("cooldownUntil went from %v back to %v", w.floor, d.CooldownUntil)
	}
	w.floor = d.CooldownUntil
	w.checkHalfOpen(t, d)
	for _, key := range w.odd {
		if !strings.Contains(w.file, fmt.Sprintf("%q: {", key)) || !strings.Contains(w.file, "2.50") {
			t.Fatalf("%s is lost:\n%s", key, w.file)
		}
	}
}

// checkHalfOpen holds that a half-open circuit has a live probe, or the next one
// to come is it.
func (w *world) checkHalfOpen(t *rapid.T, d *breaker.Document) {
	if d.State != breaker.HalfOpen || d.ProbeHolder != "" && w.now.Before(d.ProbeExpiresAt) {
		return
	}
	if next, err := d.Clone().Acquire(breaker.Options{}, "next", nil, w.now); err != nil || next.Role != breaker.Probe {
		t.Fatalf("half-open with no live probe, and the next run is %+v, %v\n%s", next, err, w.file)
	}
}

// TestModel drives many processes at random against the naive model.
func TestModel(t *testing.T) {
	histories(t, 300)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		t.Repeat(map[string]func(*rapid.T){
			"acquire": w.acquire, "acquire too": w.acquire, "report": w.report, "report too": w.report, "renew": w.renew,
			"die": w.die, "edit": w.edit, "add a key": w.addKey, "move the clock": w.clock, "": w.check,
		})
	})
}
