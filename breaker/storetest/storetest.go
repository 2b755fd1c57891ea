// Package storetest checks that a [breaker.Store] keeps its promises, and that
// the breaker's rules hold on it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// An Open returns a new handle on the store at a place. Handles on one place
// share one document, as processes do; a place that was not opened before is
// empty. Names of places are made of letters, digits and dashes.
type Open func(t *testing.T, place string) breaker.Store

// Run runs the suite. Every store must pass it.
func Run(t *testing.T, open Open) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, func() breaker.Store)
	}{
		{"empty", testEmpty},
		{"keeps", testKeeps},
		{"error", testError},
		{"nothing-to-write", testNothingToWrite},
		{"unknown-keys", testUnknownKeys},
		{"cancelled", testCancelled},
		{"clock", testClock},
		{"counts", testCounts},
		{"one-probe", testOneProbe},
		{"takeover", testTakeover},
		{"one-opening", testOneOpening},
		{"recovery", testRecovery},
		{"circuits", testCircuits},
		{"stated-reset", testStatedReset},
	} {
		t.Run(tt.name, func(t *testing.T) {
			place := fmt.Sprintf("%s-%d", tt.name, time.Now().UnixNano())
			tt.test(t, func() breaker.Store { return open(t, place) })
		})
	}
}

func view(t *testing.T, s breaker.Store) *breaker.Document {
	t.Helper()
	d, _, err := s.View(t.Context())
	if err != nil {
		t.Fatalf("View() = %v", err)
	}
	return d
}

func update(t *testing.T, s breaker.Store, change func(*breaker.Document, time.Time)) {
	t.Helper()
	err := s.Update(t.Context(), func(d *breaker.Document, now time.Time) error {
		change(d, now)
		return nil
	})
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
}

func acquire(t *testing.T, c *breaker.Circuit, tried ...string) breaker.Attempt {
	t.Helper()
	a, err := c.Acquire(t.Context(), tried)
	if err != nil {
		t.Fatalf("Acquire(%q) = %v", tried, err)
	}
	return a
}

func report(t *testing.T, c *breaker.Circuit, a breaker.Attempt, o breaker.Outcome) breaker.Change {
	t.Helper()
	ch, err := c.Report(t.Context(), a, o)
	if err != nil {
		t.Fatalf("Report(%+v) = %v", o, err)
	}
	return ch
}

func testEmpty(t *testing.T, open func() breaker.Store) {
	if d := view(t, open()); !d.Equal(breaker.Default()) || !d.Fresh() {
		t.Fatalf("View() of an empty store = %s", d.Encode())
	}
	acquire(t, breaker.NewCircuit(open(), breaker.Options{SeedPreferred: "seed", SeedFallback: []string{"a"}}))
	if d := view(t, open()); d.Fresh() || d.PreferredModel != "seed" || !slices.Equal(d.FallbackChain, []string{"a"}) {
		t.Fatalf("after the first Acquire: View() = %s", d.Encode())
	}
	acquire(t, breaker.NewCircuit(open(), breaker.Options{SeedPreferred: "other"}))
	if d := view(t, open()); d.PreferredModel != "seed" {
		t.Fatalf("a second Acquire changed the preferred model to %q", d.PreferredModel)
	}
}

func testKeeps(t *testing.T, open func() breaker.Store) {
	s := open()
	update(t, s, func(d *breaker.Document, now time.Time) {
		d.PreferredModel = "model \"quoted\" <&>"
		d.OpenedAt = now
	})
	for _, s := range []breaker.Store{s, open()} {
		if d := view(t, s); d.PreferredModel != "model \"quoted\" <&>" || d.OpenedAt.IsZero() {
			t.Fatalf("View() after Update = %s", d.Encode())
		}
	}
	d := view(t, s)
	d.PreferredModel = "changed outside of Update"
	if got := view(t, s).PreferredModel; got == d.PreferredModel {
		t.Fatal("View() returned a document it shares with others")
	}
	if s.String() == "" {
		t.Error("String() names no place")
	}
}

func testError(t *testing.T, open func() breaker.Store) {
	s, stop := open(), errors.New("stop")
	update(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 1 })
	err := s.Update(t.Context(), func(d *breaker.Document, _ time.Time) error {
		d.Metrics.TotalFallbacks = 2
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("Update() = %v, want the error of change", err)
	}
	if got := view(t, open()).Metrics.TotalFallbacks; got != 1 {
		t.Errorf("totalFallbacks = %d after a change that failed, want 1", got)
	}
	update(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks++ })
	if got := view(t, open()).Metrics.TotalFallbacks; got != 2 {
		t.Errorf("totalFallbacks = %d, want 2", got)
	}
}

func testNothingToWrite(t *testing.T, open func() breaker.Store) {
	update(t, open(), func(*breaker.Document, time.Time) {})
	if !view(t, open()).Fresh() {
		t.Error("an Update that changed nothing wrote something")
	}
}

func testUnknownKeys(t *testing.T, open func() breaker.Store) {
	s := open()
	update(t, s, func(d *breaker.Document, _ time.Time) {
		with, err := breaker.Decode([]byte(`{"note": {"b": [1, 2.50], "a": null}, "state": "closed", "zz": 1e3}`))
		if err != nil {
			t.Fatal(err)
		}
		*d = *with
	})
	update(t, open(), func(d *breaker.Document, _ time.Time) { d.ConsecutiveFailures = 7 })
	want, _ := breaker.Decode([]byte(
		`{"note": {"b": [1, 2.50], "a": null}, "state": "closed", "consecutiveFailures": 7, "zz": 1e3}`))
	if d := view(t, s); string(d.Encode()) != string(want.Encode()) {
		t.Fatalf("View() = %s, want %s", d.Encode(), want.Encode())
	}
}

func testCancelled(t *testing.T, open func() breaker.Store) {
	s := open()
	update(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Update(ctx, func(d *breaker.Document, _ time.Time) error {
		d.Metrics.TotalFallbacks = 2
		return nil
	})
	if err == nil {
		t.Error("Update() with a cancelled context succeeded")
	}
	a, err := breaker.NewCircuit(s, breaker.Options{Prefer: "m"}).Acquire(ctx, nil)
	if a.Model != "m" {
		t.Errorf("Acquire() with a cancelled context = %+v, %v, want a usable attempt", a, err)
	}
}

func testClock(t *testing.T, open func() breaker.Store) {
	s := open()
	_, first, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var second time.Time
	update(t, s, func(_ *breaker.Document, now time.Time) { second = now })
	_, third, _ := s.View(t.Context())
	if second.Before(first) || third.Before(second) {
		t.Errorf("the store's time went from %v to %v to %v", first, second, third)
	}
	if d := time.Since(first).Abs(); d > time.Hour {
		t.Errorf("the store's time is %v, %v off", first, d)
	}
}

// together runs f n times at once and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func testCounts(t *testing.T, open func() breaker.Store) {
	const writers, each = 16, 20
	together(writers, func(int) {
		s := open()
		for range each {
			err := s.Update(t.Context(), func(d *breaker.Document, _ time.Time) error {
				d.ConsecutiveFailures++
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	if got := view(t, open()).ConsecutiveFailures; got != writers*each {
		t.Errorf("%d updates at once were counted as %d", writers*each, got)
	}
}

// opened makes a circuit whose cooldown is over.
func opened(t *testing.T, open func() breaker.Store) {
	update(t, open(), func(d *breaker.Document, now time.Time) {
		d.State, d.OpenedAt, d.Metrics.TotalFallbacks = breaker.Open, now.Add(-time.Hour), 1
	})
}

func testOneProbe(t *testing.T, open func() breaker.Store) {
	opened(t, open)
	var mu sync.Mutex
	roles := map[breaker.Role]int{}
	together(30, func(int) {
		a, err := breaker.NewCircuit(open(), breaker.Options{}).Acquire(t.Context(), nil)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		roles[a.Role]++
		mu.Unlock()
	})
	if roles[breaker.Probe] != 1 || roles[breaker.Fallback] != 29 {
		t.Errorf("roles of 30 that start at the end of a cooldown: %v, want 1 probe", roles)
	}
}

func testTakeover(t *testing.T, open func() breaker.Store) {
	opened(t, open)
	c := breaker.NewCircuit(open(), breaker.Options{})
	dead := acquire(t, c)
	update(t, open(), func(d *breaker.Document, now time.Time) { d.ProbeExpiresAt = now })
	probe := acquire(t, c)
	if dead.Role != breaker.Probe || probe.Role != breaker.Probe {
		t.Fatalf("roles = %s, then after the lease %s, want probe twice", dead.Role, probe.Role)
	}
	if err := c.Renew(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	if got := view(t, open()).ProbeHolder; got != probe.ID {
		t.Errorf("after the dead probe renewed, %q holds the lease, want %q", got, probe.ID)
	}
	if ch := report(t, c, dead, breaker.Outcome{Kind: breaker.Success}); !ch.Stale {
		t.Errorf("Report() of a probe that lost its lease = %+v, want stale", ch)
	}
}

func testOneOpening(t *testing.T, open func() breaker.Store) {
	var attempts []breaker.Attempt
	for range 5 {
		attempts = append(attempts, acquire(t, breaker.NewCircuit(open(), breaker.Options{})))
	}
	together(5, func(i int) {
		c := breaker.NewCircuit(open(), breaker.Options{})
		if _, err := c.Report(t.Context(), attempts[i], breaker.Outcome{Kind: breaker.Limit}); err != nil {
			t.Error(err)
		}
	})
	d := view(t, open())
	if d.State != breaker.Open || d.Metrics.TotalFallbacks != 1 || d.CurrentFallbackIndex != 0 || d.ConsecutiveFailures != 1 {
		t.Errorf("after five saw one limit: %s, want one opening", d.Encode())
	}
}

func testRecovery(t *testing.T, open func() breaker.Store) {
	opened(t, open)
	for i, want := range []breaker.State{breaker.HalfOpen, breaker.Closed} {
		c := breaker.NewCircuit(open(), breaker.Options{})
		if ch := report(t, c, acquire(t, c), breaker.Outcome{Kind: breaker.Success}); ch.To != want {
			t.Errorf("success %d: Report() = %+v, want %s", i+1, ch, want)
		}
	}
	if d := view(t, open()); d.Metrics.TotalRecoveries != 1 || !d.OpenedAt.IsZero() || d.ProbeHolder != "" {
		t.Errorf("after the recovery: %s", d.Encode())
	}
}

func testCircuits(t *testing.T, open func() breaker.Store) {
	other := breaker.NewCircuit(open(), breaker.Options{Prefer: "gpt-5-mini"})
	report(t, other, acquire(t, other), breaker.Outcome{Kind: breaker.Limit})
	if a := acquire(t, other); a.Model != "gpt-5.4-mini" || a.Circuit != "gpt-5-mini" {
		t.Errorf("after its limit gpt-5-mini's circuit gives %+v", a)
	}
	if a := acquire(t, breaker.NewCircuit(open(), breaker.Options{})); a.Role != breaker.Preferred {
		t.Errorf("another circuit's limit opened the document's own: %+v", a)
	}
}

func testStatedReset(t *testing.T, open func() breaker.Store) {
	c := breaker.NewCircuit(open(), breaker.Options{})
	a := acquire(t, c)
	until := a.At.Add(30 * time.Minute)
	ch := report(t, c, a, breaker.Outcome{Kind: breaker.Limit, Until: until})
	if d := ch.Until.Sub(until).Abs(); d > time.Second {
		t.Errorf("Report() of a limit until %v: the next probe is at %v", until, ch.Until)
	}
	for range 3 {
		a := acquire(t, c)
		report(t, c, a, breaker.Outcome{Kind: breaker.Limit, Until: until})
	}
	var exhausted *breaker.ExhaustedError
	if _, err := c.Acquire(t.Context(), nil); !errors.As(err, &exhausted) || exhausted.Until.IsZero() {
		t.Errorf("Acquire() with every model limited until %v = %v, want an ExhaustedError", until, err)
	}
	try := breaker.NewCircuit(open(), breaker.Options{TryExhausted: true})
	if a := acquire(t, try); a.Model != "gpt-4.1" {
		t.Errorf("Acquire() of one that tries all the same = %+v, want the last fallback", a)
	}
}
