package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
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

// silent is the warning of a server that has to be waited for.
const silent = "no answer within 500ms"

// awayTests are the ways in which a server can be of no use to an update.
var awayTests = []struct {
	name  string
	start func(t *testing.T) (url string, back func())
	want  string // in the warning
}{
	{"nobody there", func(t *testing.T) (string, func()) {
		redistest.Binary(t)
		return "redis://" + redistest.FreeAddr(t) + "?key=k", nil
	}, "connection refused"},
	{"no such host", func(t *testing.T) (string, func()) {
		return "redis://no-such-host.invalid?key=k", nil
	}, "no-such-host.invalid"},
	{"takes connections, says nothing", func(t *testing.T) (string, func()) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return "redis://" + l.Addr().String() + "?key=k", nil
	}, silent},
	{"paused", func(t *testing.T) (string, func()) {
		srv := redistest.Start(t)
		srv.Pause()
		return srv.URL("k"), srv.Resume
	}, silent},
	{"wrong password", func(t *testing.T) (string, func()) {
		srv := redistest.Start(t, "--requirepass", "right")
		return strings.Replace(srv.URL("k"), "//", "//:s3cret@", 1), nil
	}, "user name or the password"},
	{"no password", func(t *testing.T) (string, func()) {
		return redistest.Start(t, "--requirepass", "right").URL("k"), nil
	}, "user name or the password"},
	{"replica", func(t *testing.T) (string, func()) {
		srv := redistest.Start(t)
		do(t, client(t, srv.Addr()), "REPLICAOF", "127.0.0.1", "1")
		return srv.URL("k"), func() { do(t, client(t, srv.Addr()), "REPLICAOF", "NO", "ONE") }
	}, "read-only replica"},
	{"memory full", func(t *testing.T) (string, func()) {
		srv := redistest.Start(t, "--maxmemory", "1mb", "--maxmemory-policy", "noeviction")
		fill(t, srv)
		return srv.URL("k"), func() { do(t, client(t, srv.Addr()), "CONFIG", "SET", "maxmemory", "0") }
	}, "memory is full"},
	{"another type of key", func(t *testing.T) (string, func()) {
		srv := redistest.Start(t)
		do(t, client(t, srv.Addr()), "LPUSH", "k", "x")
		return srv.URL("k"), func() { do(t, client(t, srv.Addr()), "DEL", "k") }
	}, "WRONGTYPE"},
	{"unknown CA", func(t *testing.T) (string, func()) {
		srv, _ := redistest.StartTLS(t)
		return srv.URL("k"), nil
	}, "certificate"},
}

func fill(t *testing.T, srv *redistest.Server) {
	t.Helper()
	c := client(t, srv.Addr())
	for i := range 1000 {
		if err := c.Set(context.Background(), fmt.Sprint("fill", i), strings.Repeat("x", 10_000), 0).Err(); err != nil {
			return
		}
	}
	t.Fatal("the server's memory does not get full")
}

// TestAway shows that a run goes on whatever is wrong with the server: it gets
// models by this machine's own circuit, one warning, and little delay in all;
// what it reports is kept, and sent when the server is back.
func TestAway(t *testing.T) {
	for _, tt := range awayTests {
		t.Run(tt.name, func(t *testing.T) {
			url, back := tt.start(t)
			local := localFile(t)
			opts := redisstore.Options{Timeout: time.Minute, Local: local}
			if tt.want == silent {
				opts.Timeout = 500 * time.Millisecond
			}
			start := time.Now()
			runAway(t, open(t, url, opts), tt.want)
			// A second process of the same machine knows what the first has seen.
			second := open(t, url, opts)
			if a, _ := acquire(t, second); a.Model != "gpt-5.4-mini" {
				t.Errorf("the second process got %s, want the first fallback", a.Model)
			}
			// Half a second for each of the two processes, not for each call; the
			// rest is for a loaded machine.
			if took := time.Since(start); tt.want == silent && took > 10*time.Second {
				t.Errorf("two runs took %v", took)
			}
			if got := second.Waiting(); got != 2 {
				t.Errorf("%d letters are kept, want a report and a record", got)
			}
			if back != nil {
				back()
				comeBack(t, url, local)
			}
		})
	}
}

// runAway is one run that hits a limit while the server is of no use.
func runAway(t *testing.T, c *redisstore.Circuit, want string) {
	t.Helper()
	var warnings []string
	note := func(err error) {
		if err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	ctx := context.Background()
	a, err := c.Acquire(ctx, nil)
	note(err)
	if a.Model != breaker.DefaultPreferredModel {
		t.Fatalf("Acquire = %+v (%v), want the preferred model", a, err)
	}
	ch, err := c.Report(ctx, a, limit)
	note(err)
	if !ch.Opened {
		t.Errorf("Report = %+v, want this machine's circuit opened", ch)
	}
	note(c.Append(ctx, []byte(`{"model":"claude-sonnet-4.6"}`)))
	if a, err = c.Acquire(ctx, []string{a.Model}); a.Model != "gpt-5.4-mini" {
		t.Errorf("Acquire = %+v, want the first fallback", a)
	}
	note(err)
	if len(warnings) != 1 || !strings.Contains(warnings[0], want) || strings.Contains(warnings[0], "s3cret") {
		t.Errorf("warnings: %q, want one with %q", warnings, want)
	}
}

// comeBack is the next run, with the server back.
func comeBack(t *testing.T, url, local string) {
	t.Helper()
	c := open(t, url, redisstore.Options{Timeout: time.Minute, Local: local})
	a, warning := acquire(t, c)
	if warning != nil {
		t.Fatalf("Acquire with the server back: %v", warning)
	}
	if ch := report(t, c, a, breaker.Outcome{Kind: breaker.Success}); ch.Stale || ch.To != breaker.Closed {
		t.Errorf("Report = %+v: the late report must not have opened the fleet's circuit", ch)
	}
	if got := c.Waiting(); got != 0 {
		t.Errorf("%d letters still wait", got)
	}
	records, err := c.Store().Records(context.Background(), time.Time{}, 10)
	if err != nil || len(records) != 1 {
		t.Errorf("the fleet's records: %s (%v), want the one that was kept", records, err)
	}
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
	for range 5 {
		report(t, c, a, breaker.Outcome{Kind: breaker.Success})
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("six calls took %v, want about one second in all", took)
	}
	eventually(t, "the same process finds the server again", func() bool {
		a, _ := acquire(t, c)
		report(t, c, a, breaker.Outcome{Kind: breaker.Limit, Until: time.Now().Add(time.Hour)})
		d, _, err := c.Store().View(context.Background())
		return err == nil && d.State == breaker.Open
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
