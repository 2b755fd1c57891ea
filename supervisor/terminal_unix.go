//go:build unix

package supervisor

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A terminal is the outer one, the person's. It is in raw mode while its
// keyboard goes to the child, and as it was found at all other times.
type terminal struct {
	fd int

	mu    sync.Mutex
	saved *unix.Termios // how it was found, while it is raw
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(descriptor(f), getTermios)
	return err == nil
}

// foreground reports whether our process group may use the terminal. One that
// is not our controlling terminal has no job control, and may be used.
func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// raw puts the terminal into raw mode. It does nothing if it is so already.
func (t *terminal) raw() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved != nil {
		return nil
	}
	saved, err := unix.IoctlGetTermios(t.fd, getTermios)
	if err != nil {
		return os.NewSyscallError("tcgetattr", err)
	}
	r := *saved
	r.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	r.Oflag &^= unix.OPOST
	r.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	r.Cflag = r.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	r.Cc[unix.VMIN], r.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(t.fd, setTermios, &r); err != nil {
		return os.NewSyscallError("tcsetattr", err)
	}
	t.saved = saved
	return nil
}

// cook puts the terminal back to how it was found. In the background it leaves
// it alone: there it belongs to somebody else, who has set it as he likes it.
func (t *terminal) cook() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return
	}
	if t.foreground() {
		unix.IoctlSetTermios(t.fd, setTermios, t.saved)
	}
	t.saved = nil
}
