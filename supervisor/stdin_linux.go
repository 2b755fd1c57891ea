package supervisor

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A mirror lets the child see what stands in a pipe or socket of ours without
// taking it away: only what the child has really read is taken, and what it leaves
// is there for whoever reads next, as if the child had had our stdin itself.
//
// The child's pipe is made so small that it has room for one piece only. It can
// be written to again exactly when the child has read the piece to its end.
type mirror struct {
	from, to int
	socket   bool
	buf      []byte // for one piece
}

// newMirror returns the mirror of from in a pipe to the child, or nil where there
// can be none.
func newMirror(from, to *os.File) *mirror {
	m := &mirror{from: descriptor(from), to: descriptor(to), buf: make([]byte, os.Getpagesize())}
	if !isStream(from) {
		return nil
	}
	fi, err := from.Stat()
	if m.socket = err == nil && fi.Mode()&os.ModeSocket != 0; m.socket {
		kind, err := unix.GetsockoptInt(m.from, unix.SOL_SOCKET, unix.SO_TYPE)
		if err != nil || kind != unix.SOCK_STREAM {
			return nil
		}
	}
	size, err := unix.FcntlInt(uintptr(m.to), unix.F_SETPIPE_SZ, len(m.buf))
	if err != nil || size != len(m.buf) {
		return nil
	}
	return m
}

// follow mirrors until stdin has ended, which is io.EOF, or the child has closed
// its end or is gone, which wake says and is errWoken. Any other error says that
// this cannot be mirrored. keep is given what the child has read.
func (m *mirror) follow(wake int, keep func([]byte)) error {
	for m.drained(wake) && m.await(unix.PollFd{Fd: int32(m.from), Events: unix.POLLIN}, wake) {
		n, err := m.show()
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
			continue // somebody else was faster
		case errors.Is(err, unix.EPIPE):
			return errWoken
		case err != nil:
			return err
		case n == 0:
			return io.EOF
		}
		m.drained(wake)
		m.take(n-m.unread(), keep)
	}
	return errWoken
}

// drained waits until the child has read all it was shown.
func (m *mirror) drained(wake int) bool {
	return m.await(unix.PollFd{Fd: int32(m.to), Events: unix.POLLOUT}, wake)
}

// await waits for an event. It reports false if there will be nobody to see it.
func (m *mirror) await(event unix.PollFd, wake int) bool {
	fds := []unix.PollFd{event, {Fd: int32(m.to)}, {Fd: int32(wake), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && fds[1].Revents&unix.POLLERR == 0 && fds[2].Revents == 0
	}
}

// show gives the child the next piece and leaves it where it is.
func (m *mirror) show() (int, error) {
	if !m.socket {
		n, err := unix.Tee(m.from, m.to, len(m.buf), unix.SPLICE_F_NONBLOCK)
		return int(n), err
	}
	n, _, err := unix.Recvfrom(m.from, m.buf, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil || n == 0 {
		return n, err
	}
	return unix.Write(m.to, m.buf[:n])
}

// unread is how much of the piece the child has not read.
func (m *mirror) unread() int {
	n, err := unix.IoctlGetInt(m.to, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// take takes n bytes, which are there unless somebody else has read them.
func (m *mirror) take(n int, keep func([]byte)) {
	for n > 0 && hasInput(m.from) {
		got, err := unix.Read(m.from, m.buf[:n])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if got <= 0 {
			return
		}
		keep(m.buf[:got])
		n -= got
	}
}
