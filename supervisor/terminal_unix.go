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
	file *os.File // the first of our standard streams that is it

	mu    sync.Mutex
	saved *unix.Termios // how it was found, while it is raw
	keys  *os.File      // for reading, where file cannot be read
}

// keyboard returns the terminal for reading. A stdout that is one may have been
// opened for writing only.
func (t *terminal) keyboard() *os.File {
	flags, err := unix.FcntlInt(uintptr(descriptor(t.file)), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_WRONLY {
		return t.file
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
		if err != nil {
			return t.file
		}
		t.keys = os.NewFile(uintptr(fd), "/dev/tty")
	}
	return t.keys
}

// controls reports whether it is our controlling terminal.
func (t *terminal) controls() bool {
	_, err := groupOf(t.file)
	return err == nil
}

// foreground reports whether our process group may use the terminal. One that
// is not our controlling terminal has no job control, and may be used.
func (t *terminal) foreground() bool {
	group, err := groupOf(t.file)
	return err != nil || group == unix.Getpgrp()
}

// raw puts the terminal into raw mode, also if it was so before we were
// stopped: a shell changes it meanwhile.
func (t *terminal) raw() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	saved := t.saved
	if saved == nil {
		var err error
		if saved, err = settingsOf(t.file); err != nil {
			return err
		}
	}
	r := *saved
	r.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	r.Oflag &^= unix.OPOST
	r.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	r.Cflag = r.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	r.Cc[unix.VMIN], r.Cc[unix.VTIME] = 1, 0
	if err := setSettings(t.file, &r); err != nil {
		return err
	}
	t.saved = saved
	return nil
}

// interruptible has the terminal make signals of its keys, if it is raw.
func (t *terminal) interruptible() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved != nil && t.foreground() {
		changeSettings(t.file, func(now *unix.Termios) { now.Lflag |= t.saved.Lflag & unix.ISIG })
	}
}

// found returns the settings of the terminal as it was found, or nil while it is
// not raw.
func (t *terminal) found() *unix.Termios {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.saved
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
		setSettings(t.file, t.saved)
	}
	t.saved = nil
}
