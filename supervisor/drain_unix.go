//go:build unix

package supervisor

import (
	"os"
	"time"
)

// drain waits until all output has been passed on. A grandchild that holds an
// output open gets a second. When we were asked to end, a reader of ours that
// takes nothing gets no more than that, either: then what asked is returned.
func (c *child) drain() os.Signal {
	deadline := time.Now().Add(drainAfter)
	c.deadline.Store(&deadline)
	for _, t := range c.routes {
		t.from.SetReadDeadline(deadline)
	}
	copied := make(chan struct{})
	go func() {
		c.relay.copies.Wait()
		close(copied)
	}()
	select {
	case <-copied:
	case <-c.stage.asks.done:
		if c.isStuck(copied, time.Until(deadline)+drainAfter) {
			return c.stage.asks.get()
		}
	}
	c.relay.finish()
	return nil
}

// isStuck waits until all is copied, or reports after some time that there is an
// output which takes nothing. One that does, on a machine that is slow, may go on.
func (c *child) isStuck(copied <-chan struct{}, patience time.Duration) bool {
	for {
		select {
		case <-copied:
			return false
		case <-time.After(patience):
			patience = 100 * time.Millisecond
		}
		for _, t := range c.routes {
			if t.to != nil && !canWrite(descriptor(t.to)) {
				return true
			}
		}
	}
}
