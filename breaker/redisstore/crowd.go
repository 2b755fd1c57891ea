package redisstore

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// A crowd is how many others write the same key, as this process feels it: it
// doubles whenever another one was faster, and halves with every success. It
// counts in tries, not in time: on a loaded machine a try takes long.
type crowd struct{ doublings atomic.Int32 }

func (c *crowd) won() { c.doublings.Store(max(0, c.doublings.Load()-1)) }

// lost waits a random time, so that those who lost to one another do not meet
// again. took is how long the lost try took.
func (c *crowd) lost(ctx context.Context, took time.Duration) error {
	n := min(c.doublings.Load()+1, 10)
	c.doublings.Store(n)
	return pause(ctx, min(took<<n, 2*time.Second))
}

// pause waits a random time.
func pause(ctx context.Context, most time.Duration) error {
	timer := time.NewTimer(rand.N(max(most, time.Millisecond)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
