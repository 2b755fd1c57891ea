// Package redisstore keeps the circuit of a whole fleet in Redis: for runs in CI
// and on many machines that share no disk. Redis 6.2 or later and Valkey will
// do, alone, behind sentinels or as a cluster.
//
// A [Store] is a [breaker.Store]: one key holds the same JSON text as the state
// file. Every update is a compare-and-set, and the server's clock is the only
// one that counts. A [Circuit] is what a run uses: it never lets a server that
// is away, slow or full stop the run, or delay it by more than a set time.
package redisstore

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/ralph-run/ralph-run/breaker"
)

// DefaultTimeout bounds what a server may cost a run, where no other bound is set.
const DefaultTimeout = 2 * time.Second

// corruptSuffix names the key that keeps a value which was no document.
const corruptSuffix = ":corrupt"

// A Store keeps one document under one key. It may be used by many goroutines at
// once, and must be closed.
type Store struct {
	client    redis.UniversalClient
	key       string
	shown     string
	passwords []string // to keep them out of every message
	failover  bool     // the next try may find another master
	timeout   time.Duration

	mu     sync.Mutex
	crowd  crowd
	last   snapshot
	lastAt time.Time // by this machine's monotonic clock; zero = nothing seen yet
	lost   error     // of the last call; nil = it went well
}

// silence keeps go-redis from writing to our standard error.
var silence = sync.OnceFunc(logging.Disable)

// OpenStore returns the store that a URL names. It connects when it is first
// used; an error is one of the URL, and never quotes it. timeout bounds each
// call; 0 is DefaultTimeout.
func OpenStore(url string, timeout time.Duration) (*Store, error) {
	silence()
	t, err := parse(url)
	if err != nil {
		return nil, err
	}
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	return &Store{
		client: t.connect(timeout), key: t.key, shown: t.shown,
		passwords: []string{t.opts.Password, t.opts.SentinelPassword},
		failover:  t.kind != single, timeout: timeout,
	}, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.client.Close() }

// String returns the URL without its secrets.
func (s *Store) String() string { return s.shown }

// View returns the document and the server's time, in one round trip. A value
// that is no document reads as the default one; the next Update keeps it aside.
func (s *Store) View(ctx context.Context) (*breaker.Document, time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	seen, err := s.look(ctx)
	if err != nil {
		return nil, time.Time{}, s.failed("read", err)
	}
	d, err := breaker.Decode([]byte(seen.raw))
	if err != nil {
		return breaker.Default(), seen.now, nil
	}
	return d, seen.now, nil
}

// Update changes the document by compare-and-set, again while others are
// faster. After a View a moment ago it takes one round trip.
func (s *Store) Update(ctx context.Context, change func(*breaker.Document, time.Time) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	old, known := s.recent()
	for first := true; ; first = false {
		start := time.Now()
		if !known {
			var err error
			if old, err = s.look(ctx); err != nil {
				return s.failed("read", err)
			}
		}
		next, err := s.apply(ctx, old, change)
		if err != nil {
			return err
		}
		if next == nil && known && first {
			known = false // there was nothing to change a moment ago: that may not hold now
			continue
		}
		if next == nil {
			return nil
		}
		done, is, err := s.compareAndSwap(ctx, old, string(next))
		if err != nil && !s.passing(err) {
			return s.failed("write", err)
		}
		if err == nil {
			s.saw(is)
		}
		if done {
			s.crowd.won()
			return nil
		}
		// The answer says what the key holds now. That is good for one more try
		// at once; where many write, only a pause helps, and makes it old.
		if old, known = is, err == nil && first; known {
			continue
		}
		if err := s.crowd.lost(ctx, time.Since(start)); err != nil {
			return s.failed("write", err)
		}
	}
}

// apply returns what to write, or nil if nothing changed. A value that is no
// document is kept under a key beside it, and the default one changed instead.
func (s *Store) apply(ctx context.Context, old snapshot, change func(*breaker.Document, time.Time) error) ([]byte, error) {
	d, corrupt := breaker.Decode([]byte(old.raw))
	if corrupt != nil {
		d = breaker.Default()
	}
	before := d.Clone()
	if err := change(d, old.now); err != nil || d.Equal(before) {
		return nil, err
	}
	if corrupt != nil {
		if err := s.client.Set(ctx, s.key+corruptSuffix, old.raw, TTL).Err(); err != nil {
			return nil, s.failed("write", err)
		}
	}
	return d.Encode(), nil
}

// look reads the key, again if a connection turns out to be dead or the server
// to be starting: reading twice does no harm.
func (s *Store) look(ctx context.Context) (snapshot, error) {
	for try := 0; ; try++ {
		seen, err := s.read(ctx)
		if err == nil {
			s.saw(seen)
			return seen, nil
		}
		again := s.passing(err) || try == 0 && connectionLost(err)
		if !again || pause(ctx, 50*time.Millisecond) != nil {
			return snapshot{}, err
		}
	}
}

func (s *Store) saw(seen snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.lastAt, s.lost = seen, time.Now(), nil
}

// recent returns what the key held a moment ago, with the server's time now.
func (s *Store) recent() (snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := time.Since(s.lastAt)
	if s.lastAt.IsZero() || age > time.Second {
		return snapshot{}, false
	}
	return snapshot{s.last.raw, s.last.now.Add(age)}, true
}

// offset returns how far the server's clock is ahead of this machine's, as last
// seen.
func (s *Store) offset() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastAt.IsZero() {
		return 0
	}
	return s.last.now.Sub(s.lastAt)
}

// passing reports an answer of a server that says it did nothing, and may do it
// in a moment.
func (s *Store) passing(err error) bool {
	return redis.IsLoadingError(err) || redis.IsClusterDownError(err) || redis.IsTryAgainError(err) ||
		redis.IsMasterDownError(err) || s.failover && redis.IsReadOnlyError(err)
}

// failed returns the error of a call as one line for a person.
func (s *Store) failed(op string, err error) error {
	err = &breaker.StoreError{Op: op, Err: &Error{Place: s.shown, Reason: s.reason(err), cause: err}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = err
	return err
}

// latest returns what was last seen, and the error of the last call.
func (s *Store) latest() (raw string, seen bool, lost error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.raw, !s.lastAt.IsZero(), s.lost
}

// prove writes what the key holds already.
func (s *Store) prove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	old, err := s.look(ctx)
	if err != nil {
		return s.failed("read", err)
	}
	if _, _, err := s.compareAndSwap(ctx, old, old.raw); err != nil {
		return s.failed("write", err)
	}
	return nil
}

// ping asks whether the server answers and knows us.
func (s *Store) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.client.Ping(ctx).Err()
}

// An Error says what is wrong with a server. It never quotes a password.
type Error struct {
	Place  string // the URL without secrets
	Reason string
	cause  error
}

func (e *Error) Error() string { return e.Place + ": " + e.Reason }

// Unwrap returns go-redis's error. Its text is not for showing: a server may
// have quoted the login in it.
func (e *Error) Unwrap() error { return e.cause }

func (s *Store) reason(err error) string {
	switch {
	case redis.IsReadOnlyError(err):
		return "it is a read-only replica"
	case redis.IsOOMError(err):
		return "its memory is full (maxmemory)"
	case redis.IsAuthError(err):
		return "it refuses the user name or the password"
	case timedOut(err):
		return "no answer within " + s.timeout.String()
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	for _, p := range s.passwords {
		if p != "" {
			text = strings.ReplaceAll(text, p, "…")
		}
	}
	return text
}
