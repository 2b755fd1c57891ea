//go:build unix

package supervisor

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// descriptor returns f's number. It does not use [os.File.Fd], which would make
// the open file description blocking for everybody who shares it.
func descriptor(f *os.File) int {
	number := -1
	onFile(f, func(fd int) error {
		number = fd
		return nil
	})
	return number
}

// onFile calls do with f's number. It is f's own as long as do runs; one that
// was kept may be another file's by then.
func onFile(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(n uintptr) { failed = do(int(n)) }); err != nil {
		return err
	}
	return failed
}

// writeAll writes p to one of our own streams, however little is taken at a
// time, and also if somebody made its description non-blocking. It does not
// use [os.File.Write]: that ends this process on a broken pipe, and the child
// must have its chance first.
func writeAll(f *os.File, p []byte) error { return writeUnless(f, p, -1) }

// writeUnless is writeAll, but it fails with errWoken if it has to wait and
// wake's other side is closed.
func writeUnless(f *os.File, p []byte, wake int) error {
	fd := descriptor(f)
	for len(p) > 0 {
		n, err := unix.Write(fd, p)
		switch {
		case err == nil:
			p = p[n:]
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			if !waitFor(fd, unix.POLLOUT, wake) {
				return errWoken
			}
		default:
			return err
		}
	}
	return nil
}

// readPipe reads what comes next.
func (t *route) readPipe(p []byte) (n int, err error) {
	raw, err := t.from.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, failed = t.readFrom(int(fd), p)
		return !errors.Is(failed, unix.EAGAIN)
	})
	if err = errors.Join(err, failed); err == nil && n == 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

// readNow reads what is there already, without waiting.
func (t *route) readNow(p []byte) (n int) {
	onFile(t.from, func(fd int) (err error) {
		n, err = t.readFrom(fd, p)
		return err
	})
	return n
}

// readFrom reads from t's descriptor, which does not block, and counts it.
func (t *route) readFrom(fd int, p []byte) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		n, err = unix.Read(fd, p)
		if !errors.Is(err, unix.EINTR) {
			t.got += int64(max(n, 0))
			return n, err
		}
	}
}

// arrived returns how much the child has written to t so far.
func (t *route) arrived() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.got
	if raw, err := t.from.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			if waits, err := unix.IoctlGetInt(int(fd), getWaiting); err == nil {
				n += int64(waits)
			}
		})
	}
	return n
}

// readerGone reports that err is the way of the system to say that nobody
// reads what we write: no failure of the output.
func readerGone(err error) bool {
	return errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
}

// waitFor waits until fd is ready for events, or until wake is closed on its
// other side. It reports false in the second case. wake may be -1.
func waitFor(fd int, events int16, wake int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(wake), Events: unix.POLLIN}}
	if wake < 0 {
		fds = fds[:1]
	}
	for {
		_, err := poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && (wake < 0 || fds[1].Revents == 0)
	}
}

// hasInput reports whether something can be read now.
func hasInput(fd int) bool { return isReady(fd, unix.POLLIN) }

// canWrite reports whether something can be written now.
func canWrite(fd int) bool { return isReady(fd, unix.POLLOUT) }

func isReady(fd int, event int16) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: event}}
	n, err := poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&event != 0
}
