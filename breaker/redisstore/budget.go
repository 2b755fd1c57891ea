package redisstore

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// A budget bounds what a server that is away can cost one invocation in all: not
// each call, but all of them together. A server that answers in good time costs
// nothing. While it is away somebody looks, beside the run, whether it is back.
type budget struct {
	whole time.Duration
	ping  func(context.Context) error

	mu       sync.Mutex
	left     time.Duration
	looking  bool
	lost     error // why it is away; nil = it is not
	stop     context.CancelFunc
	stopping context.Context
	done     sync.WaitGroup
}

func newBudget(whole time.Duration, ping func(context.Context) error) *budget {
	b := &budget{whole: whole, left: whole, ping: ping}
	b.stopping, b.stop = context.WithCancel(context.Background())
	return b
}

// spend calls f with what is left of the budget as its deadline, or answers for
// it if nothing is left. away tells whether f's error means that the server is.
func (b *budget) spend(ctx context.Context, f func(context.Context) error) error {
	b.mu.Lock()
	left, lost := b.left, b.lost
	b.mu.Unlock()
	if left <= 0 {
		return lost
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	start := time.Now()
	err := f(ctx)
	b.charge(time.Since(start), err)
	return err
}

func (b *budget) charge(took time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = err
	switch {
	case err != nil:
		b.left -= took
		b.look()
	case took < b.whole/2:
		b.left = b.whole
	default:
		b.left = max(b.left-took, b.whole/4)
	}
}

// look starts looking for the server. The lock is held.
func (b *budget) look() {
	if b.looking || b.stopping.Err() != nil {
		return
	}
	b.looking = true
	b.done.Go(b.untilBack)
}

// untilBack asks the server now and then, at random moments so that a fleet does
// not ask all at once, until it answers or the invocation ends.
func (b *budget) untilBack() {
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		timer := time.NewTimer(wait/2 + rand.N(wait/2))
		select {
		case <-b.stopping.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if b.ping(b.stopping) != nil {
			continue
		}
		b.mu.Lock()
		b.left, b.looking = b.whole, false
		b.mu.Unlock()
		return
	}
}

// close ends the looking.
func (b *budget) close() {
	b.stop()
	b.done.Wait()
}
