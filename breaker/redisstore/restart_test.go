package redisstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

// TestRestart kills the server in the middle of runs, with and without its data.
func TestRestart(t *testing.T) {
	for name, args := range map[string][]string{
		"with data":    {"--appendonly", "yes", "--appendfsync", "always"},
		"without data": nil,
	} {
		t.Run(name, func(t *testing.T) {
			srv := redistest.Start(t, args...)
			fleet := openStore(t, srv.URL("k"))
			put(t, fleet, func(d *breaker.Document, _ time.Time) { d.PreferredModel, d.Metrics.TotalFallbacks = "m", 5 })
			local := localFile(t)
			stop := make(chan struct{})
			var runs sync.WaitGroup
			for range 8 {
				c := open(t, srv.URL("k"), redisstore.Options{Local: local})
				runs.Go(func() { runUntil(t, c, stop) })
			}
			for range 3 {
				srv.Kill()
				srv.Restart()
			}
			close(stop)
			runs.Wait()
			d := document(t, fleet)
			if kept := args != nil; kept && (d.PreferredModel != "m" || d.Metrics.TotalFallbacks != 5) {
				t.Errorf("after the restarts: %s", d.Encode())
			}
			c := open(t, srv.URL("k"), redisstore.Options{Timeout: time.Minute, Local: local})
			a, warning := acquire(t, c)
			if warning != nil || a.Role != breaker.Preferred {
				t.Errorf("Acquire after the restarts = %+v, %v", a, warning)
			}
			if ch := report(t, c, a, limit); !ch.Opened || document(t, fleet).State != breaker.Open {
				t.Errorf("Report after the restarts = %+v", ch)
			}
		})
	}
}

// runUntil runs commands that succeed.
func runUntil(t *testing.T, c *redisstore.Circuit, stop chan struct{}) {
	warnings := 0
	for {
		select {
		case <-stop:
			return
		default:
		}
		a, err := c.Acquire(context.Background(), nil)
		if err != nil {
			warnings++
		}
		if a.Role != breaker.Preferred {
			t.Errorf("Acquire = %+v, %v", a, err)
			return
		}
		if _, err := c.Report(context.Background(), a, breaker.Outcome{Kind: breaker.Success}); err != nil {
			warnings++
		}
		if warnings > 1 {
			t.Errorf("%d warnings, the last: %v", warnings, err)
			return
		}
	}
}

// TestPaused stops the server for five seconds: nobody waits that long, and
// then all is as before.
func TestPaused(t *testing.T) {
	srv := redistest.Start(t)
	c := open(t, srv.URL("k"), redisstore.Options{Timeout: time.Second})
	acquireWhenBack(t, c)
	srv.Pause()
	resumed := time.AfterFunc(5*time.Second, srv.Resume)
	defer resumed.Stop()
	start := time.Now()
	a, warning := acquire(t, c)
	if warning == nil || a.Role != breaker.Preferred {
		t.Errorf("Acquire = %+v, %v, want a warning", a, warning)
	}
	for range 3 {
		report(t, c, a, limit)
		report(t, c, a, breaker.Outcome{Kind: breaker.Success})
		_ = c.Append(context.Background(), []byte("{}"))
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("ten calls took %v, want about one second in all", took)
	}
	eventually(t, "the same process finds the server again", func() bool {
		// This machine's own circuit is open by now, the fleet's is not.
		a, _ := acquire(t, c)
		return a.Role == breaker.Preferred
	})
}

// TestPromotedReplica makes the server a replica under the circuit's connection,
// and a master again.
func TestPromotedReplica(t *testing.T) {
	srv := redistest.Start(t)
	admin := client(t, srv.Addr())
	c := open(t, srv.URL("k"), redisstore.Options{Timeout: time.Minute})
	a, warning := acquire(t, c)
	if warning != nil {
		t.Fatal(warning)
	}
	do(t, admin, "REPLICAOF", "127.0.0.1", "1")
	if ch := report(t, c, a, limit); !ch.Opened {
		t.Errorf("Report = %+v, want this machine's circuit opened", ch)
	}
	if b, _ := acquire(t, c, a.Model); b.Role != breaker.Fallback {
		t.Errorf("Acquire = %+v, want a fallback", b)
	}
	do(t, admin, "REPLICAOF", "NO", "ONE")
	b, _ := acquire(t, c)
	report(t, c, b, limit)
	if d := document(t, openStore(t, srv.URL("k"))); d.State != breaker.Open {
		t.Errorf("the fleet's circuit: %s", d.Encode())
	}
}

// TestUnwritable shows a server that still says what it knew and takes nothing
// in: what this machine knows better must not be lost to that, run after run.
func TestUnwritable(t *testing.T) {
	srv := redistest.Start(t)
	admin := client(t, srv.Addr())
	put(t, openStore(t, srv.URL("k")), func(d *breaker.Document, _ time.Time) { d.PreferredModel = "m" })
	opts := redisstore.Options{Timeout: time.Minute, Local: localFile(t)}
	c := open(t, srv.URL("k"), opts)
	a, warning := acquire(t, c)
	if a.Model != "m" || warning != nil {
		t.Fatalf("Acquire = %+v, %v", a, warning)
	}
	do(t, admin, "REPLICAOF", "127.0.0.1", "1")
	report(t, c, a, limit)
	for range 3 {
		next := open(t, srv.URL("k"), opts)
		if a, warning := acquire(t, next); a.Role != breaker.Fallback || warning == nil {
			t.Errorf("a later run on a replica got %+v, %v, want a fallback and a warning", a, warning)
		}
	}
	do(t, admin, "REPLICAOF", "NO", "ONE")
	if a, warning := acquire(t, open(t, srv.URL("k"), opts)); a.Role != breaker.Preferred || warning != nil {
		t.Errorf("with the master back: %+v, %v, want what the fleet says", a, warning)
	}
}
