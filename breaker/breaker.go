// Package breaker decides which model a run gets.
//
// It is a circuit breaker over one preferred model and a chain of fallbacks.
// While the circuit is closed every run gets the preferred model. A limit opens
// it: runs get the fallbacks until a cooldown is over. Then it is half-open: one
// run at a time, the probe, tries the preferred model again, and enough
// successes in a row close the circuit.
//
// The rules are methods of [Document]; they take the time as an argument and do
// no I/O. A [Store] keeps one Document for many processes. A [Circuit] is one
// process's handle on it, and the only part most callers need.
package breaker

import (
	"fmt"
	"strings"
	"time"
)

// A State is the state of one circuit, written to the file by this name.
type State string

const (
	Closed   State = "closed"
	Open     State = "open"
	HalfOpen State = "half-open"
)

// A Role says why an attempt got its model.
type Role string

const (
	Preferred Role = "preferred" // the circuit is closed
	Probe     Role = "probe"     // half-open: this run holds the lease and tests the preferred model
	Fallback  Role = "fallback"  // open, or half-open with another process's probe under way
)

// An Attempt is what one run was given, and what it reports against. It names
// the generation of the circuit that gave it: a report of an older generation
// changes nothing, except that a stated later reset is kept.
type Attempt struct {
	ID         string    // unique to this run; names the holder of the lease when Role is Probe
	Circuit    string    // the preferred model whose circuit gave it
	Model      string    // the model to run with
	Role       Role      //
	Generation int64     // counts the openings and closings of the circuit
	At         time.Time // when it was given, by the store's clock
	Why        string    // one phrase for a person, such as "cooldown until 14:05"
}

// A Kind is how a run ended, as far as the circuit is concerned.
type Kind string

const (
	Success     Kind = "success"     // the model answered
	Limit       Kind = "limit"       // the provider refused for a rate or quota limit
	Unavailable Kind = "unavailable" // the provider does not offer this model
	Failure     Kind = "failure"     // anything else; changes nothing, but ends a probe
)

// A Scope says what a limit covers.
type Scope string

const (
	ScopeModel   Scope = "model"
	ScopeAccount Scope = "account"
	ScopeSession Scope = "session"
	ScopeWeekly  Scope = "weekly"
	ScopeUnknown Scope = "unknown"
)

// An Outcome is the report on an attempt.
type Outcome struct {
	Kind  Kind
	Scope Scope     // of a Limit
	Until time.Time // when a Limit ends, where the provider stated it; else zero
}

// A Change says what a report did to the circuit.
type Change struct {
	Model    string // that the report is of; "" for what was done by hand
	From, To State
	Opened   bool      // closed or half-open became open
	Closed   bool      // half-open became closed: recovered
	Stale    bool      // the report was of an older generation and changed nothing
	Until    time.Time // the earliest next probe, while open
}

// An ExhaustedError reports that every model is known to be limited.
type ExhaustedError struct {
	Circuit string
	Models  []string
	Until   time.Time // when the first of them is expected back; zero = unknown
}

func (e *ExhaustedError) Error() string {
	if e.Until.IsZero() {
		return "every model is rate limited: " + strings.Join(e.Models, ", ")
	}
	return fmt.Sprintf("every model is rate limited until %s: %s",
		e.Until.Format(time.RFC3339), strings.Join(e.Models, ", "))
}
