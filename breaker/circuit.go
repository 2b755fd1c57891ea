package breaker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options are one process's own settings. None of them is written to the store.
type Options struct {
	Prefer       string        // use this model's circuit instead of the document's preferredModel
	Fallback     []string      // replaces the chain, if not nil
	Cooldown     time.Duration // replaces cooldownMinutes, if not zero
	Holder       string        // names this process in a lease; "" = host:pid
	FormerHolder string        // what this process may have been called in a lease before; "" = nothing
	Jitter       float64       // 0…1, drawn once a process: delays its probe by up to a tenth of the cooldown
	TryExhausted bool          // give the last fallback when every model is known to be limited

	// Seed describes the state to create where there is none yet.
	SeedPreferred string   // "" = the default
	SeedFallback  []string // nil = the default chain
}

// A Circuit is one process's handle on the circuit in a [Store]. It may be used
// by many goroutines at once.
//
// A store that fails never fails the caller: Acquire then answers from what
// this process knows, and hands back a [StoreError] beside a usable Attempt.
type Circuit struct {
	store Store
	opts  Options

	mu    sync.Mutex
	known *Document     // as last seen, with what could not be stored since put in
	lease time.Duration // as last seen
}

// NewCircuit returns a handle on the circuit in store.
func NewCircuit(store Store, opts Options) *Circuit {
	if opts.Holder == "" {
		host, _ := os.Hostname()
		opts.Holder = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	return &Circuit{store: store, opts: opts, lease: DefaultProbeLeaseSeconds * time.Second}
}

// Acquire gives the run that is about to start its model. tried lists the models
// that this invocation has run already; none of them is given again. The error
// is an [*ExhaustedError] if there is no model to give, or a [*StoreError]
// beside a usable Attempt.
func (c *Circuit) Acquire(ctx context.Context, tried []string) (Attempt, error) {
	var a Attempt
	var exhausted error
	id := c.opts.Holder + "/" + randomID()
	err := c.change(ctx, func(d *Document, now time.Time) {
		d.Seed(c.opts)
		a, exhausted = d.Acquire(c.opts, id, tried, now)
	})
	if err != nil && exhausted != nil && len(tried) == 0 {
		// A state that cannot be kept must not keep anything from running.
		a, exhausted = c.anyModel(id), nil
	}
	return a, firstError(exhausted, err)
}

func (c *Circuit) anyModel(id string) Attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.opts
	o.TryExhausted = true
	a, _ := c.known.Clone().Acquire(o, id, nil, time.Now())
	return a
}

// Peek tells what Acquire would give, and changes nothing.
func (c *Circuit) Peek(ctx context.Context, tried []string) (Attempt, error) {
	d, now, err := c.view(ctx)
	d = d.Clone()
	d.Seed(c.opts)
	a, exhausted := d.Acquire(c.opts, c.opts.Holder+"/peek", tried, now)
	return a, firstError(exhausted, err)
}

// Renew keeps a probe's lease alive. It does nothing for other roles.
func (c *Circuit) Renew(ctx context.Context, a Attempt) error {
	if a.Role != Probe {
		return nil
	}
	return c.change(ctx, func(d *Document, now time.Time) { d.Renew(c.opts, a, now) })
}

// Report records how the attempt ended and, for a probe, gives the lease back.
func (c *Circuit) Report(ctx context.Context, a Attempt, o Outcome) (Change, error) {
	return c.do(ctx, func(d *Document, now time.Time) Change { return d.Report(c.opts, a, o, now) })
}

// Record records an outcome that belongs to no attempt, for loops that call the
// client themselves: of the given model, or if that is "" of the current one.
// Give every command of such a loop the same [Options.Holder], so that Record
// finds the lease that an Acquire of an earlier command took.
func (c *Circuit) Record(ctx context.Context, model string, o Outcome) (Change, error) {
	return c.do(ctx, func(d *Document, now time.Time) Change { return d.Record(c.opts, model, o, now) })
}

// Trip opens the circuit by hand: for a duration, or if that is zero for the
// usual cooldown.
func (c *Circuit) Trip(ctx context.Context, length time.Duration) (Change, error) {
	return c.do(ctx, func(d *Document, now time.Time) Change { return d.Trip(c.opts, length, now) })
}

// Reset closes the circuit by hand and forgets every known limit; without
// [Options.Prefer], all circuits.
func (c *Circuit) Reset(ctx context.Context) (Change, error) {
	return c.do(ctx, func(d *Document, now time.Time) Change { return d.Reset(c.opts, now) })
}

// RenewEvery is how often a running probe must call Renew: often enough that
// three may fail in a row.
func (c *Circuit) RenewEvery() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lease / 4
}

func (c *Circuit) do(ctx context.Context, f func(*Document, time.Time) Change) (Change, error) {
	var ch Change
	err := c.change(ctx, func(d *Document, now time.Time) {
		d.Seed(c.opts)
		ch = f(d, now)
	})
	return ch, err
}

// change applies f to the document. It looks first, without a lock, and leaves
// it at that if f changes nothing: what was seen was the whole state at one
// moment. If the store fails, f is applied to what this process knows.
func (c *Circuit) change(ctx context.Context, f func(*Document, time.Time)) error {
	seen, now, err := c.view(ctx)
	d := seen.Clone()
	f(d, now)
	if err == nil && d.Equal(seen) {
		return nil
	}
	if err == nil || !isStoreError(err, "read") {
		err = c.store.Update(ctx, func(stored *Document, now time.Time) error {
			f(stored, now)
			d = stored
			return nil
		})
	}
	c.keep(d)
	return asStoreError(err)
}

// view returns the document as it is, or on an error as this process knows it.
func (c *Circuit) view(ctx context.Context) (*Document, time.Time, error) {
	d, now, err := c.store.View(ctx)
	if err == nil {
		c.keep(d)
		return d, now, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = Default()
		c.known.Seed(c.opts)
	}
	return c.known, time.Now().UTC().Truncate(tick), asStoreError(err)
}

// keep remembers a document, which nobody changes from now on.
func (c *Circuit) keep(d *Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.lease = d, d.ProbeLease()
}

func isStoreError(err error, op string) bool {
	var s *StoreError
	return errors.As(err, &s) && s.Op == op
}

func asStoreError(err error) error {
	var s *StoreError
	if err == nil || errors.As(err, &s) {
		return err
	}
	return &StoreError{Op: "update", Err: err}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func randomID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A StoreError reports that the store could not be read or written. The run
// goes on without it.
type StoreError struct {
	Op  string // "read", "lock", "write"
	Err error
}

func (e *StoreError) Error() string { return e.Op + " state: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }
