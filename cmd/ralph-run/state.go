package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/supervisor"
)

// A circuit is what runs and commands do with one: a file's, or a fleet's.
type circuit interface {
	supervisor.Circuit
	Peek(ctx context.Context, tried []string) (breaker.Attempt, error)
	Record(ctx context.Context, model string, o breaker.Outcome) (breaker.Change, error)
	Trip(ctx context.Context, length time.Duration) (breaker.Change, error)
	Reset(ctx context.Context) (breaker.Change, error)
}

// A state is the opened place where the circuit lives.
type state struct {
	place   string // a path, or a URL without its password
	store   breaker.Store
	circuit circuit
	records recorder
	fleet   fleet // nil for a file
}

// statePlace is where the circuit lives: a path, or a URL as it was given.
func statePlace(s settings) (string, error) {
	if s.state != "" {
		return s.state, checkPlace(s.state)
	}
	if s.shared {
		place, err := breaker.Shared()
		if err != nil {
			err = &hintError{err, "set HOME, or name a place by --state"}
		}
		return place, err
	}
	return localPlace()
}

// localPlace is where the state file of the working directory is, or would be.
func localPlace() (string, error) {
	here, err := os.Getwd()
	if err != nil { // as in a folder that is gone: the store reports it
		return filepath.Join(breaker.StateFolder, breaker.StateFile), nil
	}
	return breaker.Find(here)
}

// openState opens a place. Nothing is read or written yet.
func openState(s settings, place string, opts breaker.Options, notify func(breaker.Notice)) (*state, error) {
	if err := checkPlace(place); err != nil {
		return nil, err
	}
	if isFleet(place) {
		return openFleet(s, place, opts)
	}
	store := breaker.NewFileStore(place)
	store.Notify = notify
	return &state{
		place: place, store: store, records: newRecorder(place),
		circuit: breaker.NewCircuit(store, opts),
	}, nil
}

// inUse is the file that really holds the circuit.
func (s *state) inUse(ctx context.Context) string {
	if f, ok := s.store.(*breaker.FileStore); ok {
		if path, err := f.Active(ctx); err == nil {
			return path
		}
	}
	return s.place
}

// notice shows what the store found, for a command that is not a run.
func (p *program) notice(n breaker.Notice) {
	if n.Warning {
		say(p.stderr, "warn: "+n.Text)
	}
}

// checkPlace refuses a URL that no store answers to.
func checkPlace(place string) error {
	scheme, _, isURL := strings.Cut(place, "://")
	if !isURL || isFleet(place) {
		return nil
	}
	return usageErrorf("--state %q: unknown scheme %s; %s", hidePassword(place), scheme, placeRule)
}

// hidePassword cuts a URL's user and password out.
func hidePassword(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = "…" + rest[at:]
	}
	return fmt.Sprintf("%s://%s", scheme, rest)
}

// circuitOptions are this run's own settings of the circuit.
func circuitOptions(s settings) breaker.Options {
	return breaker.Options{
		Prefer: s.prefer, Fallback: s.fallback, Cooldown: s.cooldown,
		TryExhausted: s.onExhausted == "try",
	}
}
