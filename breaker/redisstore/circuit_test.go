package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

var limit = breaker.Outcome{Kind: breaker.Limit}

// acquire wants a model, with or without a warning.
func acquire(t *testing.T, c *redisstore.Circuit, tried ...string) (breaker.Attempt, *breaker.StoreError) {
	t.Helper()
	a, err := c.Acquire(context.Background(), tried)
	var warning *breaker.StoreError
	if err != nil && !errors.As(err, &warning) {
		t.Fatalf("Acquire(%q) = %v", tried, err)
	}
	if a.Model == "" {
		t.Fatalf("Acquire(%q) gave no model", tried)
	}
	return a, warning
}

// report wants a report to be taken in, with or without a warning.
func report(t *testing.T, c *redisstore.Circuit, a breaker.Attempt, o breaker.Outcome) breaker.Change {
	t.Helper()
	ch, err := c.Report(context.Background(), a, o)
	var warning *breaker.StoreError
	if err != nil && !errors.As(err, &warning) {
		t.Fatalf("Report(%+v) = %v", o, err)
	}
	return ch
}

// TestLateReports shows what late reports may do: keep a stated time, and give
// back their lease; they move nothing else, in whatever state the circuit is.
func TestLateReports(t *testing.T) {
	srv := redistest.Start(t)
	for _, state := range []breaker.State{breaker.Closed, breaker.Open, breaker.HalfOpen} {
		t.Run(string(state), func(t *testing.T) {
			url, local := srv.URL(string(state)), localFile(t)
			fleet := openStore(t, url)
			put(t, fleet, func(d *breaker.Document, now time.Time) {
				d.State = breaker.HalfOpen
				if state == breaker.Closed {
					d.State = breaker.Closed
				}
			})
			c := open(t, url, redisstore.Options{Timeout: 500 * time.Millisecond, Local: local})
			a, _ := acquire(t, c)
			put(t, fleet, func(d *breaker.Document, now time.Time) {
				if d.State = state; state == breaker.Open {
					d.OpenedAt, d.Metrics.TotalFallbacks = now, d.Metrics.TotalFallbacks+1
				}
			})
			srv.Pause()
			report(t, c, a, breaker.Outcome{Kind: breaker.Limit, Until: time.Now().Add(20 * time.Minute)})
			report(t, c, breaker.Attempt{ID: "x", Circuit: a.Circuit, Model: "gpt-5-mini", Role: breaker.Fallback}, limit)
			report(t, c, breaker.Attempt{ID: "y", Circuit: a.Circuit, Model: a.Circuit, Role: breaker.Probe}, breaker.Outcome{Kind: breaker.Success})
			srv.Resume()
			before := document(t, fleet)
			acquireWhenBack(t, open(t, url, redisstore.Options{Timeout: time.Minute, Local: local, Options: breaker.Options{Prefer: "another"}}))
			after := document(t, fleet)
			if after.State != before.State || after.CurrentFallbackIndex != before.CurrentFallbackIndex ||
				after.Metrics != before.Metrics || after.HalfOpenSuccesses != before.HalfOpenSuccesses {
				t.Errorf("late reports changed %s to %s", before.Encode(), after.Encode())
			}
			if left := time.Until(after.LimitedUntil[a.Model]); left < 19*time.Minute || left > 21*time.Minute {
				t.Errorf("the stated time of the late limit is lost: %s", after.Encode())
			}
			if after.ProbeHolder != "" {
				t.Errorf("the lease of the late probe is not given back: %s", after.Encode())
			}
		})
	}
}

func acquireWhenBack(t *testing.T, c *redisstore.Circuit) {
	t.Helper()
	if _, warning := acquire(t, c); warning != nil {
		t.Fatal(warning)
	}
}

// TestLimitOfNow shows that a limit met by an attempt of this machine's own
// circuit is no late one if the server is back by then.
func TestLimitOfNow(t *testing.T) {
	srv := redistest.Start(t)
	c := open(t, srv.URL("k"), redisstore.Options{Timeout: time.Minute})
	srv.Kill()
	a, warning := acquire(t, c)
	if warning == nil {
		t.Fatal("no warning with the server killed")
	}
	srv.Restart()
	if ch := report(t, c, a, limit); !ch.Opened {
		t.Errorf("Report = %+v, want opened", ch)
	}
	if d := document(t, openStore(t, srv.URL("k"))); d.State != breaker.Open || d.Metrics.TotalFallbacks != 1 {
		t.Errorf("the fleet's circuit: %s", d.Encode())
	}
}
