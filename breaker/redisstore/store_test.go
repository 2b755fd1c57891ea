package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

// TestKey shows what is in Redis: one key with the text of the state file, kept
// for 30 days from its last use.
func TestKey(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("team-a")), client(t, srv.Addr())
	if d := document(t, s); !d.Fresh() {
		t.Errorf("a store that holds nothing is not fresh: %s", d.Encode())
	}
	if n := do(t, c, "DBSIZE"); n != int64(0) {
		t.Errorf("reading made %v keys", n)
	}
	put(t, s, func(d *breaker.Document, _ time.Time) { d.PreferredModel = "m" })
	if got, want := do(t, c, "GET", "team-a"), string(document(t, s).Encode()); got != want {
		t.Errorf("the key holds %q, want %q", got, want)
	}
	const almost = redisstore.TTL - time.Minute
	left := func() time.Duration { return c.PTTL(context.Background(), "team-a").Val() }
	if got := left(); got < almost || got > redisstore.TTL {
		t.Errorf("TTL after a write is %v", got)
	}
	do(t, c, "PEXPIRE", "team-a", (redisstore.TTL - 25*time.Hour).Milliseconds())
	document(t, s)
	if got := left(); got < almost {
		t.Errorf("TTL after a read two days later is %v, want it renewed", got)
	}
	do(t, c, "PERSIST", "team-a")
	document(t, s)
	if got := left(); got >= 0 {
		t.Errorf("reading gave a key without a TTL one of %v", got)
	}
}

// TestServerClock shows that the server's clock counts and no other.
func TestServerClock(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("k")), client(t, srv.Addr())
	before := c.Time(context.Background()).Val()
	var first, second time.Time
	put(t, s, func(_ *breaker.Document, now time.Time) { first = now })
	put(t, s, func(_ *breaker.Document, now time.Time) { second = now })
	after := c.Time(context.Background()).Val()
	for _, at := range []time.Time{first, second} {
		if at.Before(before) || at.After(after) {
			t.Errorf("Update's time is %v, want it between %v and %v", at, before, after)
		}
	}
}

// TestHandEdit shows that an edit with redis-cli between a look and a write is
// neither lost nor overwritten.
func TestHandEdit(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("k")), client(t, srv.Addr())
	put(t, s, func(d *breaker.Document, _ time.Time) { d.PreferredModel = "m" })
	tries := 0
	put(t, s, func(d *breaker.Document, _ time.Time) {
		if tries++; tries == 1 {
			edited := strings.Replace(string(d.Encode()), `"m"`, `"by-hand"`, 1)
			do(t, c, "SET", "k", edited)
		}
		d.Metrics.TotalFallbacks = 7
	})
	d := document(t, s)
	if d.PreferredModel != "by-hand" || d.Metrics.TotalFallbacks != 7 || tries != 2 {
		t.Errorf("after %d tries the key holds %s", tries, d.Encode())
	}
}

// TestCorrupt shows that a value that is no document is kept aside, and the
// fleet goes on.
func TestCorrupt(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("k")), client(t, srv.Addr())
	do(t, c, "SET", "k", "no document")
	if d := document(t, s); !d.Fresh() {
		t.Errorf("View = %s, want the default", d.Encode())
	}
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks++ })
	if d := document(t, s); d.Metrics.TotalFallbacks != 1 {
		t.Errorf("View = %s after an update", d.Encode())
	}
	if got := do(t, c, "GET", "k:corrupt"); got != "no document" {
		t.Errorf("kept aside: %q", got)
	}
}

// TestRoundTrips shows what a run costs: one round trip to find the circuit
// closed, and one more to change it.
func TestRoundTrips(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("k")), client(t, srv.Addr())
	put(t, s, func(d *breaker.Document, _ time.Time) { d.PreferredModel = "m" })
	circuit := breaker.NewCircuit(s, breaker.Options{})
	scripts := func() int {
		info := c.InfoMap(context.Background(), "commandstats").Val()["Commandstats"]["cmdstat_eval"]
		var n int
		if _, err := fmt.Sscanf(info, "calls=%d,", &n); err != nil {
			t.Fatalf("read %q: %v", info, err)
		}
		return n
	}
	at := scripts()
	a, err := circuit.Acquire(context.Background(), nil)
	if got := scripts() - at; err != nil || got != 1 {
		t.Errorf("Acquire took %d round trips (%v), want 1", got, err)
	}
	at = scripts()
	ch, err := circuit.Report(context.Background(), a, breaker.Outcome{Kind: breaker.Limit})
	if got := scripts() - at; err != nil || !ch.Opened || got != 2 {
		t.Errorf("Report took %d round trips (%+v, %v), want 2", got, ch, err)
	}
}

// TestRecords shows the fleet's records: in order, from a time on, the newest,
// and bounded.
func TestRecords(t *testing.T) {
	srv := redistest.Start(t)
	s, c := openStore(t, srv.URL("k")), client(t, srv.Addr())
	ctx := context.Background()
	for i := range 3 {
		if err := s.Append(ctx, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	get := func(since time.Time, most int) string {
		t.Helper()
		records, err := s.Records(ctx, since, most)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s", records)
	}
	if got, want := get(time.Time{}, 10), `[{"n":0} {"n":1} {"n":2}]`; got != want {
		t.Errorf("Records = %s, want %s", got, want)
	}
	if got, want := get(time.Time{}, 2), `[{"n":1} {"n":2}]`; got != want {
		t.Errorf("the newest two are %s, want %s", got, want)
	}
	if got := get(time.Now().Add(time.Hour), 10); got != "[]" {
		t.Errorf("records from the future: %s", got)
	}
	if ttl := c.PTTL(ctx, "k:records").Val(); ttl < redisstore.TTL-time.Minute {
		t.Errorf("TTL of the stream is %v", ttl)
	}
	many := make([][]byte, 11_000)
	for i := range many {
		many[i] = []byte(`{}`)
	}
	if err := s.Append(ctx, many...); err != nil {
		t.Fatal(err)
	}
	if n := c.XLen(ctx, "k:records").Val(); n < 10_000 || n > 10_500 {
		t.Errorf("the stream holds %d records, want about 10,000", n)
	}
}

// TestContention shows that a hundred writers in one process lose nothing.
func TestContention(t *testing.T) {
	srv := redistest.Start(t)
	s := openStore(t, srv.URL("k"))
	const writers, each = 50, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				err := s.Update(context.Background(), func(d *breaker.Document, _ time.Time) error {
					d.Metrics.TotalFallbacks++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := document(t, s).Metrics.TotalFallbacks; got != writers*each {
		t.Errorf("%d updates counted, want %d", got, writers*each)
	}
}

// TestOldLook shows that an update which has nothing to do, going by a look a
// moment ago, looks again: others may have been there since.
func TestOldLook(t *testing.T) {
	srv := redistest.Start(t)
	s, other := openStore(t, srv.URL("k")), openStore(t, srv.URL("k"))
	document(t, s)
	put(t, other, func(d *breaker.Document, _ time.Time) { d.State = breaker.Open })
	put(t, s, func(d *breaker.Document, _ time.Time) {
		if d.State == breaker.Open {
			d.State = breaker.HalfOpen
		}
	})
	if got := document(t, s).State; got != breaker.HalfOpen {
		t.Errorf("the state is %s, want what the update makes of the other's", got)
	}
}
