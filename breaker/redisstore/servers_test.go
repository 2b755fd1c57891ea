package redisstore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

// TestTLS shows rediss:// with a CA of one's own, and that without it the
// server is not believed.
func TestTLS(t *testing.T) {
	srv, ca := redistest.StartTLS(t)
	s := openStore(t, srv.URL("k", "ca="+ca))
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 3 })
	if got := document(t, s).Metrics.TotalFallbacks; got != 3 {
		t.Errorf("TotalFallbacks = %d, want 3", got)
	}
	_, _, err := openStore(t, srv.URL("k")).View(context.Background())
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("View of a server of an unknown CA: %v", err)
	}
	mutual, ca := redistest.StartTLS(t, "--tls-auth-clients", "yes")
	with := []string{"ca=" + ca, "cert=" + mutual.Dir + "/server.crt", "cert_key=" + mutual.Dir + "/server.key"}
	document(t, openStore(t, mutual.URL("k", with...)))
}

// TestUnixSocket shows unix://.
func TestUnixSocket(t *testing.T) {
	srv := redistest.Start(t, "--unixsocket", "redis.sock")
	s := openStore(t, "unix://"+srv.Dir+"/redis.sock?key=k")
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 3 })
	if got := do(t, client(t, srv.Addr()), "EXISTS", "k"); got != int64(1) {
		t.Errorf("EXISTS k = %v", got)
	}
}

// TestACL shows that the commands of docs/stores.md are enough, for a user who
// may touch nothing but the key and what stands beside it.
func TestACL(t *testing.T) {
	srv := redistest.Start(t)
	c := client(t, srv.Addr())
	page, err := os.ReadFile("../../docs/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	if line := "    ACL SETUSER ralph on >PASSWORD " + strings.Join(redisstore.ACL("team-a"), " ") + "\n"; !strings.Contains(string(page), line) {
		t.Errorf("docs/stores.md lacks %q", line)
	}
	rules := []any{"ACL", "SETUSER", "ralph", "on", ">pw"}
	for _, r := range redisstore.ACL("team-a") {
		rules = append(rules, r)
	}
	do(t, c, rules...)
	s := openStore(t, strings.Replace(srv.URL("team-a"), "//", "//ralph:pw@", 1))
	ctx := context.Background()
	do(t, c, "SET", "team-a", "no document")
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks++ })
	do(t, c, "PEXPIRE", "team-a", 1000_000)
	document(t, s)
	if ttl := c.PTTL(ctx, "team-a").Val(); ttl < redisstore.TTL-time.Minute {
		t.Errorf("TTL is %v, want it renewed", ttl)
	}
	if err := s.Append(ctx, []byte("{}")); err != nil {
		t.Error(err)
	}
	if _, err := s.Records(ctx, time.Time{}, 1); err != nil {
		t.Error(err)
	}
	limited := openStore(t, strings.Replace(srv.URL("team-b"), "//", "//ralph:pw@", 1))
	if _, _, err := limited.View(ctx); err == nil {
		t.Error("the user may read another key")
	}
}

// TestCluster shows a cluster that is found by one of its addresses.
func TestCluster(t *testing.T) {
	srv := redistest.Start(t, "--cluster-enabled", "yes")
	c := client(t, srv.Addr())
	do(t, c, "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	rules := []any{"ACL", "SETUSER", "ralph", "on", ">pw", "+cluster|slots", "+command"}
	for _, r := range redisstore.ACL("k") {
		if r != "-@all" { // a new user may nothing
			rules = append(rules, r)
		}
	}
	do(t, c, rules...)
	s := openStore(t, strings.Replace(srv.URL("k", "cluster=true"), "//", "//ralph:pw@", 1))
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 3 })
	if got := document(t, s).Metrics.TotalFallbacks; got != 3 {
		t.Errorf("TotalFallbacks = %d, want 3", got)
	}
	if err := s.Append(context.Background(), []byte("{}")); err != nil {
		t.Error(err)
	}
}

// TestSentinel shows a failover: the replica that the sentinels name is found.
func TestSentinel(t *testing.T) {
	first := redistest.Start(t)
	second := redistest.Start(t, "--replicaof", "127.0.0.1 "+fmt.Sprint(first.Port))
	guard := redistest.StartSentinel(t, "m", first)
	s := openStore(t, fmt.Sprintf("redis://%s?master_name=m&key=k", guard.Addr()))
	put(t, s, func(d *breaker.Document, _ time.Time) { d.Metrics.TotalFallbacks = 3 })
	replica := client(t, second.Addr())
	eventually(t, "the replica has the key", func() bool { return replica.Exists(context.Background(), "k").Val() == 1 })
	eventually(t, "the sentinel knows the replica", func() bool {
		found, err := redis.NewSentinelClient(&redis.Options{Addr: guard.Addr()}).Replicas(context.Background(), "m").Result()
		return err == nil && len(found) == 1
	})
	do(t, client(t, guard.Addr()), "SENTINEL", "FAILOVER", "m")
	eventually(t, "the replica is the master", func() bool {
		return strings.Contains(replica.Info(context.Background(), "replication").Val(), "role:master")
	})
	eventually(t, "an update reaches the new master", func() bool {
		return s.Update(context.Background(), func(d *breaker.Document, _ time.Time) error {
			d.Metrics.TotalFallbacks = 4
			return nil
		}) == nil && strings.Contains(replica.Get(context.Background(), "k").Val(), `"totalFallbacks": 4`)
	})
}
