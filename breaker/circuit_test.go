package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// mustGet acquires a model that there must be.
func mustGet(t *testing.T, c *breaker.Circuit, tried ...string) breaker.Attempt {
	t.Helper()
	a, err := c.Acquire(t.Context(), tried)
	if err != nil {
		t.Fatalf("Acquire(%q) = %v", tried, err)
	}
	return a
}

// TestOneCircuitPerPreferredModel: --prefer of another model uses that model's
// own circuit in the same file, with the same chain less that model.
func TestOneCircuitPerPreferredModel(t *testing.T) {
	path := statePath(t)
	s := breaker.NewFileStore(path)
	own := breaker.NewCircuit(s, breaker.Options{})
	same := breaker.NewCircuit(s, breaker.Options{Prefer: sonnet})
	other := breaker.NewCircuit(s, breaker.Options{Prefer: mini5})
	if a := mustGet(t, other); a.Model != mini5 || a.Circuit != mini5 {
		t.Errorf("the other circuit gives %+v", a)
	}
	for _, want := range []string{mini5, "gpt-5.4-mini", "gpt-4.1"} {
		if a, err := use(t, other); err != nil || a.Model != want {
			t.Errorf("the other circuit gives %+v, %v, want %s", a, err, want)
		}
	}
	if a := mustGet(t, own); a.Role != breaker.Preferred {
		t.Errorf("the document's own circuit gives %+v", a)
	}
	if a, err := use(t, same); err != nil || a.Model != sonnet {
		t.Errorf("the document's own circuit under its name gives %+v, %v", a, err)
	}
	if a := mustGet(t, own); a.Role != breaker.Fallback {
		t.Errorf("after that: %+v", a)
	}
	d := readState(t, path)
	if c := d.Circuits[mini5]; len(d.Circuits) != 1 || c.State != breaker.Open || c.CurrentFallbackIndex != 1 || c.Metrics.TotalFallbacks != 1 {
		t.Errorf("the file is\n%s", d.Encode())
	}
	if !strings.Contains(string(d.Encode()), "\n      \"totalFallbacks\": 1,\n") {
		t.Errorf("the circuit is not flat:\n%s", d.Encode())
	}
	// Its probe is its own.
	edited := strings.ReplaceAll(string(d.Encode()), d.Circuits[mini5].OpenedAt.Format("2006-01-02T15:04:05"), "2026-01-01T00:00:00")
	writeState(t, path, edited)
	probe := mustGet(t, other)
	if probe.Role != breaker.Probe || readState(t, path).Circuits[mini5].ProbeHolder != probe.ID {
		t.Errorf("at the end of its cooldown: %+v\n%s", probe, readState(t, path).Encode())
	}
	if err := other.Renew(t.Context(), probe); err != nil {
		t.Error(err)
	}
	if ch, err := other.Report(t.Context(), probe, breaker.Outcome{Kind: breaker.Success}); err != nil || ch.Stale || ch.To != breaker.HalfOpen {
		t.Errorf("Report() = %+v, %v", ch, err)
	}
}

// TestAccountWide: an account-wide limit still tries the chain once, and each
// model that turns out limited is marked.
func TestAccountWide(t *testing.T) {
	c := breaker.NewCircuit(breaker.NewFileStore(statePath(t)), breaker.Options{})
	until := time.Now().Add(30 * time.Minute)
	var tried []string
	for {
		a, err := c.Acquire(t.Context(), tried)
		var e *breaker.ExhaustedError
		if errors.As(err, &e) {
			if d := e.Until.Sub(until).Abs(); d > time.Second || len(tried) != 4 {
				t.Errorf("after %q: %v, want %v", tried, err, until)
			}
			break
		}
		tried = append(tried, a.Model)
		if _, err := c.Report(t.Context(), a, breaker.Outcome{Kind: breaker.Limit, Scope: breaker.ScopeAccount, Until: until}); err != nil {
			t.Fatal(err)
		}
	}
	var e *breaker.ExhaustedError
	if _, err := c.Acquire(t.Context(), nil); !errors.As(err, &e) {
		t.Errorf("the next run: %v, want an ExhaustedError", err)
	}
	if _, err := c.Peek(t.Context(), nil); !errors.As(err, &e) {
		t.Errorf("Peek() = %v, want an ExhaustedError", err)
	}
}

func TestPeek(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"state": "open", "openedAt": "2026-01-01T00:00:00Z"}`)
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
	before := readState(t, path)
	for range 2 {
		if a, err := c.Peek(t.Context(), nil); err != nil || a.Role != breaker.Probe {
			t.Errorf("Peek() = %+v, %v, want the probe", a, err)
		}
	}
	if !readState(t, path).Equal(before) && readState(t, path).State != breaker.Open {
		t.Error("Peek() changed the state")
	}
	empty := breaker.NewFileStore(filepath.Join(t.TempDir(), "none.json"))
	a, err := breaker.NewCircuit(empty, breaker.Options{SeedPreferred: "seed"}).Peek(t.Context(), nil)
	if d, _, _ := empty.View(t.Context()); err != nil || a.Model != "seed" || !d.Fresh() {
		t.Errorf("Peek() of nothing = %+v, %v", a, err)
	}
}

func TestTripAndReset(t *testing.T) {
	path := statePath(t)
	s := breaker.NewFileStore(path)
	c := breaker.NewCircuit(s, breaker.Options{})
	other := breaker.NewCircuit(s, breaker.Options{Prefer: "gpt-4.1"})
	for _, c := range []*breaker.Circuit{c, other} {
		inFlight := mustGet(t, c)
		ch, err := c.Trip(t.Context(), 3*time.Hour)
		if left := time.Until(ch.Until); err != nil || !ch.Opened || left < 179*time.Minute || left > 180*time.Minute {
			t.Errorf("Trip(3h) = %+v, %v", ch, err)
		}
		if a := mustGet(t, c); a.Role != breaker.Fallback {
			t.Errorf("after Trip: %+v", a)
		}
		if ch, err := c.Report(t.Context(), inFlight, breaker.Outcome{Kind: breaker.Limit}); err != nil || !ch.Stale {
			t.Errorf("the report of a run from before = %+v, %v", ch, err)
		}
	}
	if ch, err := c.Trip(t.Context(), 0); err != nil || ch.Opened || time.Until(ch.Until) > 10*time.Minute {
		t.Errorf("Trip(0) of an open circuit = %+v, %v", ch, err)
	}
	if d := readState(t, path); d.Metrics.TotalFallbacks != 1 {
		t.Errorf("two trips are %d openings", d.Metrics.TotalFallbacks)
	}
	inFlight := mustGet(t, c)
	if ch, err := c.Reset(t.Context()); err != nil || !ch.Closed {
		t.Errorf("Reset() = %+v, %v", ch, err)
	}
	if ch, err := c.Report(t.Context(), inFlight, breaker.Outcome{Kind: breaker.Limit}); err != nil || !ch.Stale {
		t.Errorf("the report of a run from before = %+v, %v", ch, err)
	}
	d := readState(t, path)
	if d.State != breaker.Closed || !d.OpenedAt.IsZero() || d.Circuits["gpt-4.1"].State != breaker.Closed || d.Metrics.TotalRecoveries != 0 {
		t.Errorf("after Reset:\n%s", d.Encode())
	}
}

// TestRecord: a loop that calls the client itself asks for the model in one
// process and records in the next.
func TestRecord(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"state": "open", "openedAt": "2026-01-01T00:00:00Z"}`)
	process := func(holder string) *breaker.Circuit {
		return breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{Holder: holder})
	}
	for _, want := range []breaker.State{breaker.HalfOpen, breaker.Closed} {
		if a := mustGet(t, process("loop")); a.Role != breaker.Probe {
			t.Fatalf("the loop gets %+v", a)
		}
		ch, err := process("another").Record(t.Context(), sonnet, breaker.Outcome{Kind: breaker.Success})
		if err != nil || !ch.Stale && ch.From != ch.To {
			t.Errorf("another's success counts: %+v, %v", ch, err)
		}
		if ch, err := process("loop").Record(t.Context(), "", breaker.Outcome{Kind: breaker.Success}); err != nil || ch.To != want {
			t.Errorf("Record(success) = %+v, %v, want %s", ch, err, want)
		}
	}
	until := time.Now().Add(20 * time.Minute)
	ch, err := process("loop").Record(t.Context(), sonnet, breaker.Outcome{Kind: breaker.Limit, Until: until})
	if err != nil || !ch.Opened || ch.Until.Sub(until).Abs() > time.Second {
		t.Errorf("Record(limit) = %+v, %v", ch, err)
	}
	for i, model := range []string{"", mini5, "gpt-4.1", "unknown", sonnet} {
		if _, err := process("loop").Record(t.Context(), model, breaker.Outcome{Kind: breaker.Limit}); err != nil {
			t.Error(err)
		}
		if got, want := readState(t, path).CurrentFallbackIndex, min(i+1, 2); got != want {
			t.Errorf("after a limit of %q the index is %d, want %d", model, got, want)
		}
	}
}

// A brokenStore fails from some moment on.
type brokenStore struct {
	breaker.Store
	view, update error
}

func (s *brokenStore) View(ctx context.Context) (*breaker.Document, time.Time, error) {
	if s.view != nil {
		return nil, time.Time{}, s.view
	}
	return s.Store.View(ctx)
}

func (s *brokenStore) Update(ctx context.Context, f func(*breaker.Document, time.Time) error) error {
	if s.update != nil {
		return s.update
	}
	return s.Store.Update(ctx, f)
}

// TestStoreFails: what was last known, and what could not be stored since, go on
// to count in this process; and nothing keeps a run from starting.
func TestStoreFails(t *testing.T) {
	s := &brokenStore{Store: breaker.NewFileStore(statePath(t))}
	c := breaker.NewCircuit(s, breaker.Options{})
	use(t, c)
	down := errors.New("down")
	s.view, s.update = down, down
	for _, want := range []string{"gpt-5.4-mini", mini5, "gpt-4.1", "gpt-4.1"} {
		a, err := c.Acquire(t.Context(), nil)
		if a.Model != want || !errors.Is(err, down) {
			t.Errorf("Acquire() = %+v, %v, want %s and the store's error", a, err, want)
		}
		o := breaker.Outcome{Kind: breaker.Limit, Until: time.Now().Add(time.Hour)}
		if _, err := c.Report(t.Context(), a, o); !errors.Is(err, down) {
			t.Errorf("Report() = %v, want the store's error", err)
		}
	}
	var e *breaker.ExhaustedError
	all := []string{sonnet, "gpt-5.4-mini", mini5, "gpt-4.1"}
	if _, err := c.Acquire(t.Context(), all); !errors.As(err, &e) {
		t.Errorf("Acquire(all) = %v, want an ExhaustedError", err)
	}
	if a, err := c.Peek(t.Context(), nil); a.Model == "" && !errors.As(err, &e) {
		t.Errorf("Peek() = %+v, %v", a, err)
	}
	s.view, s.update = nil, nil
	if a := mustGet(t, c); a.Model != "gpt-5.4-mini" {
		t.Errorf("once the store is back: %+v", a)
	}
	if err := c.Renew(t.Context(), breaker.Attempt{Role: breaker.Fallback}); err != nil {
		t.Error(err)
	}
}

func TestRenewEvery(t *testing.T) {
	path := statePath(t)
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
	if got := c.RenewEvery(); got != 30*time.Second {
		t.Errorf("RenewEvery() = %v, want 30s", got)
	}
	for seconds, want := range map[string]time.Duration{"8": 2 * time.Second, "0": 30 * time.Second, "1e9": 15 * time.Minute} {
		writeState(t, path, fmt.Sprintf(`{"probeLeaseSeconds": %s}`, seconds))
		mustGet(t, c)
		if got := c.RenewEvery(); got != want {
			t.Errorf("RenewEvery() with a lease of %ss = %v, want %v", seconds, got, want)
		}
	}
}
