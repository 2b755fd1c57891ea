package breaker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// This file holds the deliberate differences from the template's functions. Each
// test shows first what the template does, then what the breaker does.

func newTemplate() *template { return &template{now: noon, zone: time.UTC} }

func (p *template) state() *cb { return p.getCircuitBreakerState() }

// give acquires without anything tried, which must work.
func give(t *testing.T, d *breaker.Document, id string, now time.Time) breaker.Attempt {
	t.Helper()
	a, err := d.Acquire(breaker.Options{}, id, nil, now)
	if err != nil {
		t.Fatalf("Acquire(%s) = %v", id, err)
	}
	return a
}

func limit(d *breaker.Document, a breaker.Attempt, now time.Time) breaker.Change {
	return d.Report(breaker.Options{}, a, breaker.Outcome{Kind: breaker.Limit}, now)
}

func success(d *breaker.Document, a breaker.Attempt, now time.Time) breaker.Change {
	return d.Report(breaker.Options{}, a, breaker.Outcome{Kind: breaker.Success}, now)
}

// Five processes that hit one limit together must not burn the chain.
func TestDifferenceOneLimitIsOneOpening(t *testing.T) {
	p := newTemplate()
	for range 5 {
		p.getCurrentModel()
	}
	for range 5 {
		p.updateCircuitBreakerOnRateLimit()
	}
	if s := p.state(); s.CurrentFallbackIndex != 2 || p.getCurrentModel() != "gpt-4.1" {
		t.Fatalf("the template's fault is gone: index %d", s.CurrentFallbackIndex)
	}

	d := breaker.Default()
	var attempts []breaker.Attempt
	for i := range 5 {
		attempts = append(attempts, give(t, d, fmt.Sprint(i), noon))
	}
	for i, a := range attempts {
		if ch := limit(d, a, noon); ch.Opened != (i == 0) || ch.Stale != (i > 0) {
			t.Errorf("report %d: %+v", i, ch)
		}
	}
	if d.CurrentFallbackIndex != 0 || d.Metrics.TotalFallbacks != 1 || d.ConsecutiveFailures != 1 {
		t.Errorf("after one limit seen by five: %s", d.Encode())
	}
	// The same on a fallback: the index moves once.
	attempts = nil
	for i := range 5 {
		attempts = append(attempts, give(t, d, fmt.Sprint(i), noon))
	}
	for _, a := range attempts {
		limit(d, a, noon)
	}
	if d.CurrentFallbackIndex != 1 || d.ConsecutiveFailures != 2 {
		t.Errorf("after a fallback's limit seen by five: %s", d.Encode())
	}
}

// Two fallback runs that end late, in half-open, must not close the circuit.
func TestDifferenceOnlyProbesClose(t *testing.T) {
	later := noon.Add(11 * time.Minute)
	p := newTemplate()
	p.updateCircuitBreakerOnRateLimit()
	p.getCurrentModel() // two runs start on the fallback
	p.getCurrentModel()
	p.now = later
	p.getCurrentModel() // a third starts as the probe
	p.updateCircuitBreakerOnSuccess()
	p.updateCircuitBreakerOnSuccess()
	if s := p.state(); s.State != "closed" {
		t.Fatalf("the template's fault is gone: %s", s.State)
	}

	d := breaker.Default()
	limit(d, give(t, d, "first", noon), noon)
	one, two := give(t, d, "1", noon), give(t, d, "2", noon)
	probe := give(t, d, "3", later)
	success(d, one, later)
	success(d, two, later)
	if d.State != breaker.HalfOpen || d.HalfOpenSuccesses != 0 {
		t.Errorf("two late fallback successes: %s with %d", d.State, d.HalfOpenSuccesses)
	}
	success(d, probe, later)
	if ch := success(d, give(t, d, "4", later), later); !ch.Closed || d.State != breaker.Closed {
		t.Errorf("two probes succeeded: %+v", ch)
	}
}

// At the end of a cooldown exactly one of 30 probes.
func TestDifferenceOneProbe(t *testing.T) {
	later := noon.Add(11 * time.Minute)
	p := newTemplate()
	p.updateCircuitBreakerOnRateLimit()
	p.now = later
	probes := 0
	for range 30 {
		if p.getCurrentModel() == "claude-sonnet-4.6" {
			probes++
		}
	}
	if probes != 30 {
		t.Fatalf("the template's fault is gone: %d probes", probes)
	}

	d := breaker.Default()
	limit(d, give(t, d, "first", noon), noon)
	probes = 0
	var dead breaker.Attempt
	for i := range 30 {
		if a := give(t, d, fmt.Sprint(i), later); a.Role == breaker.Probe {
			probes, dead = probes+1, a
		}
	}
	if probes != 1 {
		t.Errorf("%d of 30 probe", probes)
	}
	// The probe renews, then dies: another takes over after the lease.
	d.Renew(breaker.Options{}, dead, later.Add(time.Minute))
	if a := give(t, d, "early", later.Add(3*time.Minute-time.Second)); a.Role != breaker.Fallback {
		t.Errorf("before the lease ended a second run is %s", a.Role)
	}
	heir := give(t, d, "heir", later.Add(3*time.Minute))
	if heir.Role != breaker.Probe {
		t.Errorf("after the lease ended the next run is %s", heir.Role)
	}
	d.Renew(breaker.Options{}, dead, later.Add(3*time.Minute))
	if ch := success(d, dead, later.Add(4*time.Minute)); !ch.Stale || d.ProbeHolder != "heir" {
		t.Errorf("the dead probe came back: %+v, %s holds the lease", ch, d.ProbeHolder)
	}
}

// An exhausted chain must not starve the probe for ever.
func TestDifferenceExhaustedChainStillProbes(t *testing.T) {
	// Every five minutes the last fallback is limited again.
	p := newTemplate()
	for range 3 {
		p.updateCircuitBreakerOnRateLimit()
	}
	for range 100 {
		p.now = p.now.Add(5 * time.Minute)
		if p.getCurrentModel() != "gpt-4.1" {
			t.Fatal("the template's fault is gone: it probes")
		}
		p.updateCircuitBreakerOnRateLimit()
	}

	d, now := breaker.Default(), noon
	for i := range 3 {
		limit(d, give(t, d, fmt.Sprint(i), now), now)
	}
	for i := range 100 {
		now = now.Add(5 * time.Minute)
		a := give(t, d, fmt.Sprint(i), now)
		if a.Role == breaker.Probe {
			if i != 1 {
				t.Errorf("the probe comes after %d rounds of five minutes, want 2", i+1)
			}
			return
		}
		limit(d, a, now)
	}
	t.Error("the preferred model was never tried again")
}

// A success that resets consecutiveFailures is saved.
func TestDifferenceSuccessIsSaved(t *testing.T) {
	file := with(func(d *D) { d.ConsecutiveFailures = 3 }).Encode()
	p := newTemplate()
	p.file = fromJSON(string(file))
	p.updateCircuitBreakerOnSuccess()
	if p.state().ConsecutiveFailures != 3 {
		t.Fatal("the template's fault is gone")
	}

	out, err := breaker.Apply(file, noon, func(d *breaker.Document, now time.Time) error {
		success(d, give(t, d, "a", now), now)
		return nil
	})
	if d, _ := breaker.Decode(out); err != nil || d.ConsecutiveFailures != 0 {
		t.Errorf("after a success: %v %s", err, out)
	}
}

// A time in the future is never waited for longer than the cooldown from now.
func TestDifferenceClockBack(t *testing.T) {
	back := noon.Add(-time.Hour)
	p := newTemplate()
	p.updateCircuitBreakerOnRateLimit()
	p.now = back.Add(15 * time.Minute)
	if p.getCurrentModel() != "gpt-5.4-mini" {
		t.Fatal("the template's fault is gone")
	}

	d := breaker.Default()
	limit(d, give(t, d, "a", noon), noon)
	if a := give(t, d, "b", back); a.Role != breaker.Fallback {
		t.Errorf("right after the clock jumped back: %+v", a)
	}
	if a := give(t, d, "c", back.Add(10*time.Minute)); a.Role != breaker.Probe {
		t.Errorf("one cooldown after the clock jumped back: %+v", a)
	}
}

// Without a chain there is only the preferred model: the template then returns
// nothing at all.
func TestDifferenceEmptyChain(t *testing.T) {
	p := newTemplate()
	p.file = fromJSON(string(with(func(d *D) { d.FallbackChain = nil }).Encode()))
	p.updateCircuitBreakerOnRateLimit()
	if p.getCurrentModel() != "" {
		t.Fatal("the template's fault is gone")
	}

	d := with(func(d *D) { d.FallbackChain = nil })
	limit(d, give(t, d, "a", noon), noon)
	if a := give(t, d, "b", noon); a.Model != d.PreferredModel || a.Role != breaker.Fallback {
		t.Errorf("open, without a chain: %+v", a)
	}
}

// A stated reset is a floor under the cooldown; the template knows of none.
func TestDifferenceStatedReset(t *testing.T) {
	p := newTemplate()
	p.updateCircuitBreakerOnRateLimit()
	p.now = noon.Add(11 * time.Minute)
	if p.getCurrentModel() != "claude-sonnet-4.6" {
		t.Fatal("the template's fault is gone")
	}

	d := breaker.Default()
	d.Report(breaker.Options{}, give(t, d, "a", noon),
		breaker.Outcome{Kind: breaker.Limit, Until: noon.Add(40 * time.Minute)}, noon)
	if a := give(t, d, "b", noon.Add(39*time.Minute)); a.Role != breaker.Fallback {
		t.Errorf("before the stated reset: %+v", a)
	}
	if a := give(t, d, "c", noon.Add(40*time.Minute)); a.Role != breaker.Probe {
		t.Errorf("after the stated reset: %+v", a)
	}
}
