//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openPTY opens a pseudo-terminal. The master is non-blocking, but unknown to the
// runtime's poller: that would wake a thread for every piece. Neither side
// survives an exec.
func openPTY() (master, slave *os.File, err error) {
	master, slave, err = openPair()
	if err == nil {
		if err = errors.Join(unix.SetNonblock(descriptor(master), true), blocking(slave)); err == nil {
			return master, slave, nil
		}
		master.Close()
		slave.Close()
	}
	return nil, nil, fmt.Errorf("open pty: %w", err)
}

// readPTY returns the reading of a pty. A pty gives no more than 4 KiB at a time,
// and each piece costs a write and a turn of the observer: all that is there is
// taken. It waits in poll(2), which takes a third of the thread switches that
// the runtime's poller takes for as many small pieces.
func (c *child) readPTY(t *route) func([]byte) (int, error) {
	fd := descriptor(t.from)
	return func(buf []byte) (int, error) {
		n := 0
		for n < len(buf) {
			over := c.awaitExit(0) // before the read: what came until then is there
			m, err := t.readFrom(fd, buf[n:])
			switch {
			case m > 0:
				n += m
			case n > 0:
				return n, nil // the next call tells why there is no more
			case !errors.Is(err, unix.EAGAIN): // EIO: the last slave is closed
				if over {
					return 0, io.EOF
				}
				c.awaitExit(20 * time.Millisecond)
			case !c.awaitOutput(fd):
				return 0, os.ErrDeadlineExceeded
			}
		}
		return n, nil
	}
}

// awaitExit waits for the child's exit, but no longer than d. A child that has
// closed the pty lives on for a moment, at the least, and may open it again;
// closing the master would kill it with a SIGHUP.
func (c *child) awaitExit(d time.Duration) bool {
	select {
	case <-c.exited:
		return true
	default:
	}
	if d == 0 {
		return false
	}
	select {
	case <-c.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// awaitOutput waits until fd can be read. It reports false when the drain
// deadline has passed.
func (c *child) awaitOutput(fd int) bool {
	if waitFor(fd, unix.POLLIN, descriptor(c.asleep)) {
		return true
	}
	for { // the child has exited
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := poll(fds, 50); n > 0 && err == nil {
			return true
		}
		if end := c.deadline.Load(); end != nil && time.Now().After(*end) {
			return false
		}
	}
}
