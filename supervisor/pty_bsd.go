//go:build unix && !linux

package supervisor

import (
	"os"
	"runtime"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPair opens a pty; the master blocks.
func openPair() (master, slave *os.File, err error) {
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		master, slave, err = openStill()
	}()
	<-opened
	if err != nil {
		return nil, nil, err
	}
	if master, err = outOfPoller(master); err != nil {
		slave.Close()
		return nil, nil, err
	}
	return master, slave, nil
}

// openStill opens a pty on a stack that stays where it is. [pty.Open] has the
// kernel write to its stack, but does not keep the runtime from moving that
// meanwhile: as a stack grows, for which there is room enough here, and as one of
// which less than a quarter is used shrinks.
func openStill() (master, slave *os.File, err error) {
	var room [24 << 10]byte
	master, slave, err = pty.Open()
	runtime.KeepAlive(&room)
	return master, slave, err
}

// outOfPoller returns a blocking duplicate of m, and closes m.
func outOfPoller(m *os.File) (*os.File, error) {
	defer m.Close()
	fd, err := unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), m.Name()), nil
}
