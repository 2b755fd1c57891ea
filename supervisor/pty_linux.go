package supervisor

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openPair opens a pty; the master blocks. It is not [pty.Open], which tells the
// kernel to put the number of the pty on the stack, but no longer keeps the
// collector from moving that meanwhile: then it opens /dev/pts/0, whose ever that
// is, and something else is overwritten.
//
// [pty.Open]: https://pkg.go.dev/github.com/creack/pty#Open
func openPair() (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx") // blocking now: so it stays out of the poller
	if slave, err = openSlave(fd); err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}

// openSlave unlocks the slave of master and opens it.
func openSlave(master int) (*os.File, error) {
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return nil, os.NewSyscallError("TIOCSPTLCK", err)
	}
	n, err := unix.IoctlGetUint32(master, unix.TIOCGPTN)
	if err != nil {
		return nil, os.NewSyscallError("TIOCGPTN", err)
	}
	return os.OpenFile("/dev/pts/"+strconv.FormatUint(uint64(n), 10), os.O_RDWR|unix.O_NOCTTY, 0)
}
