package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// This file is what a Circuit does with a server that is away or comes back.

// errFresh reports a server that holds nothing yet, or has lost its data: late
// reports wait until somebody has laid down the state.
var errFresh = errors.New("the server holds no state yet")

// replay sends the letters that wait, all reports in one update. The error means
// that the server is away; trouble with the spool is no reason to hold up a run.
func (c *Circuit) replay(ctx context.Context) error {
	var away error
	_ = c.spool.send(ctx, func(letters []letter) error {
		err := c.deliver(ctx, letters)
		if !errors.Is(err, errFresh) {
			away = err
		}
		return err
	})
	return away
}

// deliver sends letters. It proves that the server can be written even if they
// changed nothing: while it cannot, this machine's own circuit has to go on, and
// that is so as long as letters wait.
func (c *Circuit) deliver(ctx context.Context, letters []letter) error {
	err := c.store.Update(ctx, func(d *breaker.Document, now time.Time) error {
		if d.Fresh() {
			return errFresh
		}
		for _, l := range letters {
			if l.Report != nil {
				l.Report.apply(d, now)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.store.prove(ctx); err != nil {
		return err
	}
	var records [][]byte
	for _, l := range letters {
		if l.Record != nil {
			records = append(records, l.Record)
		}
	}
	if len(records) == 0 {
		return nil
	}
	return c.store.Append(ctx, records...)
}

// keep puts a letter by for the server. It does so even if the run is being
// ended: the letter costs no more than an instant.
func (c *Circuit) keep(ctx context.Context, l letter) error {
	l.At = time.Now().UTC()
	return c.spool.add(context.WithoutCancel(ctx), l)
}

// Waiting returns how many reports and records of this machine wait for the
// server.
func (c *Circuit) Waiting() int {
	n := 0
	for _, path := range []string{c.spool.path, c.spool.sending()} {
		letters, _ := readLetters(path)
		n += len(letters)
	}
	return n
}

// remember keeps the state that was last seen for the time when the server is
// away. It is seen even where it cannot be written: on a replica, or when memory
// is full. But while letters wait, this machine's circuit knows more.
func (c *Circuit) remember(ctx context.Context) {
	if !c.spool.empty() {
		return
	}
	raw, seen, _ := c.store.latest()
	c.mu.Lock()
	news := seen && raw != c.remembered
	if news {
		c.remembered = raw
	}
	c.mu.Unlock()
	if !news {
		return
	}
	d, err := breaker.Decode([]byte(raw))
	if err != nil || d.Fresh() {
		return
	}
	// Without a cache the run goes on all the same.
	_ = c.cache.Update(ctx, func(kept *breaker.Document, _ time.Time) error {
		*kept = *d.Clone()
		return nil
	})
}

func (c *Circuit) isLocal(a breaker.Attempt) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.local[a.ID]
}

// split tells an answer that every model is limited from a server that is away:
// a circuit whose store fails may give that answer from memory.
func (c *Circuit) split(err error) (exhausted, away error) {
	if !isExhausted(err) {
		return nil, err
	}
	if _, _, lost := c.store.latest(); lost != nil {
		return nil, lost
	}
	return err, nil
}

func isExhausted(err error) bool {
	var e *breaker.ExhaustedError
	return errors.As(err, &e)
}

// tell returns the error of a server that is away the first time, and then
// nothing more: one warning is enough.
func (c *Circuit) tell(away error, more ...error) error {
	c.mu.Lock()
	told := c.told
	c.told = c.told || away != nil
	c.mu.Unlock()
	if told || away == nil {
		return nil
	}
	op := "read"
	var s *breaker.StoreError
	if errors.As(away, &s) {
		op, away = s.Op, s.Err
	}
	text := "reports are kept and sent later"
	if err := errors.Join(more...); err != nil {
		text = "this report is lost: " + err.Error()
	}
	return &breaker.StoreError{Op: op, Err: fmt.Errorf("%w (%s)", away, text)}
}
