package breaker

import (
	"context"
	"time"
)

// Options are one process's own settings. None of them is written to the store.
type Options struct {
	Prefer   string        // use this model's circuit instead of the document's preferredModel
	Fallback []string      // replaces the chain, if not nil
	Cooldown time.Duration // replaces cooldownMinutes, if not zero
	Holder   string        // names this process in a lease: host:pid
	Jitter   float64       // 0…1, drawn once a process: delays its probe by up to a tenth of the cooldown

	// Seed describes the state to create where there is none yet.
	SeedPreferred string   // "" = the default
	SeedFallback  []string // nil = the default chain
}

// A Circuit is one process's handle on the circuit in a [Store].
//
// A store that fails never fails the caller: Acquire then answers from what
// this process knows, and hands back a [StoreError] beside a usable Attempt.
type Circuit struct {
	store Store
	opts  Options
}

// NewCircuit returns a handle on the circuit in store.
func NewCircuit(store Store, opts Options) *Circuit { return &Circuit{store: store, opts: opts} }

// Acquire gives the run that is about to start its model. tried lists the models
// that this invocation has run already; none of them is given again. The error
// is an [*ExhaustedError] if there is no model to give, or a [*StoreError]
// beside a usable Attempt.
func (c *Circuit) Acquire(ctx context.Context, tried []string) (Attempt, error) { panic("todo") }

// Peek tells what Acquire would give, and changes nothing.
func (c *Circuit) Peek(ctx context.Context, tried []string) (Attempt, error) { panic("todo") }

// Renew keeps a probe's lease alive. It does nothing for other roles.
func (c *Circuit) Renew(ctx context.Context, a Attempt) error { panic("todo") }

// Report records how the attempt ended and, for a probe, gives the lease back.
func (c *Circuit) Report(ctx context.Context, a Attempt, o Outcome) (Change, error) { panic("todo") }

// RenewEvery is how often a running probe must call Renew.
func (c *Circuit) RenewEvery() time.Duration { return 30 * time.Second }

// A StoreError reports that the store could not be read or written. The run
// goes on without it.
type StoreError struct {
	Op  string // "read", "lock", "write"
	Err error
}

func (e *StoreError) Error() string { return e.Op + " state: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }
