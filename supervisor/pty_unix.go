//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPTY opens a pseudo-terminal. The master is non-blocking, but unknown to the
// runtime's poller: that would wake a thread for every piece. Neither side
// survives an exec.
func openPTY() (master, slave *os.File, err error) {
	m, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open pty: %w", err)
	}
	defer m.Close()
	fd, err := unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		slave.Close()
		return nil, nil, fmt.Errorf("open pty: %w", err)
	}
	master = os.NewFile(uintptr(fd), m.Name()) // blocking now: so it stays out of the poller
	if err := errors.Join(unix.SetNonblock(fd, true), blocking(slave)); err != nil {
		master.Close()
		slave.Close()
		return nil, nil, fmt.Errorf("open pty: %w", err)
	}
	return master, slave, nil
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

// bare turns off what a terminal adds to the bytes of a program, for captured
// output: no \r before \n, no echo.
func bare(slave int) error {
	return changeTermios(slave, func(t *unix.Termios) {
		t.Oflag &^= unix.OPOST
		t.Lflag &^= unix.ECHO | unix.ECHONL
	})
}

// changeTermios changes the settings of a terminal, at once.
func changeTermios(fd int, change func(*unix.Termios)) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return os.NewSyscallError("tcgetattr", err)
	}
	change(t)
	return os.NewSyscallError("tcsetattr", unix.IoctlSetTermios(fd, setTermios, t))
}

// sizeOf returns the size of the terminal fd, or, where it has none, the one
// in the environment, or 80x24. It is never 0x0: programs divide by it.
func sizeOf(fd int) *unix.Winsize {
	w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		w = &unix.Winsize{}
	}
	if w.Col == 0 {
		w.Col = sizeFromEnv("COLUMNS", 80)
	}
	if w.Row == 0 {
		w.Row = sizeFromEnv("LINES", 24)
	}
	return w
}

func sizeFromEnv(name string, otherwise uint16) uint16 {
	n, err := strconv.ParseUint(os.Getenv(name), 10, 16)
	if err != nil || n == 0 {
		return otherwise
	}
	return uint16(n)
}
