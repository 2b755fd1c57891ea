package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// Options are one process's own settings.
type Options struct {
	breaker.Options

	// Timeout bounds what a server that is away can delay this process in all;
	// 0 is DefaultTimeout.
	Timeout time.Duration

	// Local is the path where the state file would be without Redis. What is
	// kept for the time while the server is away stands beside it.
	Local string
}

// A Circuit is one process's handle on a fleet's circuit. It may be used by many
// goroutines at once, and must be closed.
//
// While the server is away, slow, full or read-only, the processes of this
// machine go on with a circuit of their own: the fleet's as last seen, in a file
// that they share. Their reports are kept and sent when the server is back,
// marked late: a late report neither opens nor closes the fleet's circuit, but a
// stated time until which a model is limited is kept. The first call that finds
// the server away returns a [breaker.StoreError] beside its usable answer; the
// later ones are silent.
type Circuit struct {
	store  *Store
	fleet  *breaker.Circuit // in Redis
	ours   *breaker.Circuit // this machine's, in cache
	cache  *breaker.FileStore
	spool  spool
	budget *budget

	mu         sync.Mutex
	told       bool
	local      map[string]bool // attempts that this machine's circuit gave
	remembered string          // the state in the cache, as this process put it there
}

// Open returns the circuit that a URL names. A server that cannot be reached is
// no error here; an error is one of the URL, and never quotes it.
func Open(url string, o Options) (*Circuit, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	s, err := OpenStore(url, o.Timeout)
	if err != nil {
		return nil, err
	}
	base := localBase(o.Local, s.shown)
	cache := breaker.NewFileStore(base + ".json")
	return &Circuit{
		store: s, fleet: breaker.NewCircuit(s, o.Options),
		cache: cache, ours: breaker.NewCircuit(cache, o.Options),
		spool:  spool{base + ".spool"},
		budget: newBudget(o.Timeout, s.ping),
		local:  map[string]bool{},
	}, nil
}

// localBase names the files of one server and key beside the state file.
func localBase(local, shown string) string {
	sum := sha256.Sum256([]byte(shown))
	return strings.TrimSuffix(local, filepath.Ext(local)) + ".redis-" + hex.EncodeToString(sum[:4])
}

// Close ends the connections, and the looking for a server that is away.
func (c *Circuit) Close() error {
	c.budget.close()
	return c.store.Close()
}

// Store returns the store itself, for those who look at the fleet's state or
// change it by hand: its errors are not hidden.
func (c *Circuit) Store() *Store { return c.store }

// Acquire gives the run that is about to start its model, see
// [breaker.Circuit.Acquire].
func (c *Circuit) Acquire(ctx context.Context, tried []string) (breaker.Attempt, error) {
	var a breaker.Attempt
	var exhausted error
	away := c.contact(ctx, func(ctx context.Context) (err error) {
		a, err = c.fleet.Acquire(ctx, tried)
		exhausted, err = c.split(err)
		return err
	})
	if away == nil {
		return a, exhausted
	}
	a, err := c.ours.Acquire(ctx, tried)
	if isExhausted(err) {
		return a, err
	}
	c.mu.Lock()
	c.local[a.ID] = true
	c.mu.Unlock()
	return a, c.tell(away)
}

// Peek tells what Acquire would give, and changes nothing.
func (c *Circuit) Peek(ctx context.Context, tried []string) (breaker.Attempt, error) {
	var a breaker.Attempt
	var exhausted error
	away := c.budget.spend(ctx, func(ctx context.Context) (err error) {
		a, err = c.fleet.Peek(ctx, tried)
		exhausted, err = c.split(err)
		return err
	})
	if away == nil {
		return a, exhausted
	}
	a, err := c.ours.Peek(ctx, tried)
	if isExhausted(err) {
		return a, err
	}
	return a, c.tell(away)
}

// View returns the document as it is, or as last seen with an error beside it.
// Unlike [Store.View] it costs no more than the timeout in all.
func (c *Circuit) View(ctx context.Context) (*breaker.Document, time.Time, error) {
	var d *breaker.Document
	var now time.Time
	away := c.budget.spend(ctx, func(ctx context.Context) (err error) {
		d, now, err = c.store.View(ctx)
		return err
	})
	if away == nil {
		return d, now, nil
	}
	d, now, err := c.cache.View(ctx)
	if err != nil {
		d = breaker.Default()
	}
	return d, now, away
}

// Renew keeps a probe's lease alive. It does nothing for other roles.
func (c *Circuit) Renew(ctx context.Context, a breaker.Attempt) error {
	if a.Role != breaker.Probe {
		return nil
	}
	if c.isLocal(a) {
		_ = c.ours.Renew(ctx, a) // a circuit without a store goes on in memory
		return nil
	}
	return c.tell(c.contact(ctx, func(ctx context.Context) error { return c.fleet.Renew(ctx, a) }))
}

// RenewEvery is how often a running probe must call Renew.
func (c *Circuit) RenewEvery() time.Duration { return c.fleet.RenewEvery() }

// Report records how the attempt ended and, for a probe, gives the lease back.
func (c *Circuit) Report(ctx context.Context, a breaker.Attempt, o breaker.Outcome) (breaker.Change, error) {
	if c.isLocal(a) && o.Kind != breaker.Limit {
		ch, _ := c.ours.Report(ctx, a, o)
		return ch, nil
	}
	if !o.Until.IsZero() {
		o.Until = o.Until.Add(c.store.offset())
	}
	var ch breaker.Change
	away := c.contact(ctx, func(ctx context.Context) (err error) {
		ch, err = c.reportFleet(ctx, a, o)
		return err
	})
	if away == nil {
		return ch, nil
	}
	ch, _ = c.ours.Report(ctx, a, o)
	return ch, c.tell(away, c.keep(ctx, letter{Report: newLateReport(a, o)}))
}

// reportFleet reports to the fleet's circuit. An attempt of this machine's own
// circuit belongs to no generation of the fleet's, and its success says nothing
// there; but a limit met just now is news, whoever gave the model.
func (c *Circuit) reportFleet(ctx context.Context, a breaker.Attempt, o breaker.Outcome) (breaker.Change, error) {
	if !c.isLocal(a) {
		return c.fleet.Report(ctx, a, o)
	}
	ch, err := c.fleet.Record(ctx, a.Model, o)
	if err == nil {
		_, _ = c.ours.Report(ctx, a, o)
	}
	return ch, err
}

// Record records an outcome that belongs to no attempt, see
// [breaker.Circuit.Record].
func (c *Circuit) Record(ctx context.Context, model string, o breaker.Outcome) (breaker.Change, error) {
	if !o.Until.IsZero() {
		o.Until = o.Until.Add(c.store.offset())
	}
	var ch breaker.Change
	away := c.contact(ctx, func(ctx context.Context) (err error) {
		ch, err = c.fleet.Record(ctx, model, o)
		return err
	})
	if away == nil {
		return ch, nil
	}
	a := breaker.Attempt{Model: model, Role: breaker.Fallback}
	if model == "" {
		a, _ = c.ours.Peek(ctx, nil)
	}
	ch, _ = c.ours.Record(ctx, model, o)
	return ch, c.tell(away, c.keep(ctx, letter{Report: newLateReport(a, o)}))
}

// Trip opens the fleet's circuit by hand, see [breaker.Circuit.Trip]. It fails
// while the server is away.
func (c *Circuit) Trip(ctx context.Context, length time.Duration) (breaker.Change, error) {
	defer c.remember(ctx)
	return c.fleet.Trip(ctx, length)
}

// Reset closes the fleet's circuit by hand, see [breaker.Circuit.Reset]. It
// fails while the server is away.
func (c *Circuit) Reset(ctx context.Context) (breaker.Change, error) {
	defer c.remember(ctx)
	return c.fleet.Reset(ctx)
}

// Records returns the fleet's records, see [Store.Records].
func (c *Circuit) Records(ctx context.Context, since time.Time, most int) ([][]byte, error) {
	return c.store.Records(ctx, since, most)
}

// Append adds a record, one JSON object, to the fleet's; later, while the server
// is away.
func (c *Circuit) Append(ctx context.Context, record []byte) error {
	away := c.contact(ctx, func(ctx context.Context) error { return c.store.Append(ctx, record) })
	if away == nil {
		return nil
	}
	return c.tell(away, c.keep(ctx, letter{Record: record}))
}

// contact sends what is waiting and calls f, and remembers the state that was
// seen on the way. The error means that the server is away.
func (c *Circuit) contact(ctx context.Context, f func(context.Context) error) error {
	defer c.remember(ctx)
	return c.budget.spend(ctx, func(ctx context.Context) error {
		if err := c.replay(ctx); err != nil {
			return err
		}
		return f(ctx)
	})
}
