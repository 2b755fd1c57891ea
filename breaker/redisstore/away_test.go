package redisstore_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

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
