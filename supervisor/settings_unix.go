//go:build unix

package supervisor

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// settingsOf returns the settings of the terminal f.
func settingsOf(f *os.File) (t *unix.Termios, err error) {
	err = onFile(f, func(fd int) error {
		t, err = unix.IoctlGetTermios(fd, getTermios)
		return os.NewSyscallError("tcgetattr", err)
	})
	return t, err
}

// setSettings changes the settings of the terminal f, at once.
func setSettings(f *os.File, t *unix.Termios) error {
	return onFile(f, func(fd int) error {
		return os.NewSyscallError("tcsetattr", unix.IoctlSetTermios(fd, setTermios, t))
	})
}

// changeSettings is setSettings for what change makes of those that f has.
func changeSettings(f *os.File, change func(*unix.Termios)) error {
	t, err := settingsOf(f)
	if err != nil {
		return err
	}
	change(t)
	return setSettings(f, t)
}

// bare turns off what a terminal adds to the bytes of a program, for captured
// output: no \r before \n, no echo.
func bare(slave *os.File) error {
	return changeSettings(slave, func(t *unix.Termios) {
		t.Oflag &^= unix.OPOST
		t.Lflag &^= unix.ECHO | unix.ECHONL
	})
}

func isTerminal(f *os.File) bool {
	_, err := settingsOf(f)
	return err == nil
}

// groupOf returns the process group in the foreground of our controlling
// terminal; f must be it.
func groupOf(f *os.File) (group int, err error) {
	err = onFile(f, func(fd int) error {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// setSize gives the pty f a size; the kernel then sends SIGWINCH to its child.
func setSize(f *os.File, size *unix.Winsize) error {
	return onFile(f, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

// sizeOf returns the size of the terminal f, or, where it has none, the one in
// the environment, or 80x24. It is never 0x0: programs divide by it.
func sizeOf(f *os.File) *unix.Winsize {
	size := &unix.Winsize{}
	onFile(f, func(fd int) error {
		w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			size = w
		}
		return err
	})
	if size.Col == 0 {
		size.Col = sizeFromEnv("COLUMNS", 80)
	}
	if size.Row == 0 {
		size.Row = sizeFromEnv("LINES", 24)
	}
	return size
}

func sizeFromEnv(name string, otherwise uint16) uint16 {
	n, err := strconv.ParseUint(os.Getenv(name), 10, 16)
	if err != nil || n == 0 {
		return otherwise
	}
	return uint16(n)
}
