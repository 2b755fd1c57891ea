//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPTY opens a pseudo-terminal. The master is non-blocking, so that a read
// ends with a deadline or with Close; neither side survives an exec.
func openPTY() (master, slave *os.File, err error) {
	m, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open pty: %w", err)
	}
	defer m.Close()
	fd, err := unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = errors.Join(unix.SetNonblock(fd, true), blocking(slave))
	}
	if err != nil {
		slave.Close()
		return nil, nil, fmt.Errorf("open pty: %w", err)
	}
	return os.NewFile(uintptr(fd), m.Name()), slave, nil
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
