//go:build unix

package supervisor

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A session is the inner side of the person's terminal during one run: the pty
// that the child has instead of it.
type session struct {
	stage  *stage
	child  *child
	master *os.File
	typing chan struct{} // closed when the keyboard is no longer read; nil if it never was
}

// copySettings gives the pty the settings and the size of the terminal, so that
// the child finds them at its first instant. Where the terminal stays cooked it
// does the post-processing, and the pty must not do it a second time.
func (n *session) copySettings(slave int) error {
	outer := n.stage.outer.fd
	t, err := unix.IoctlGetTermios(outer, getTermios)
	if err != nil {
		return os.NewSyscallError("tcgetattr", err)
	}
	if err := unix.IoctlSetTermios(slave, setTermios, t); err != nil {
		return os.NewSyscallError("tcsetattr", err)
	}
	unix.IoctlSetWinsize(slave, unix.TIOCSWINSZ, sizeOf(outer))
	if !n.keyboard() {
		return changeTermios(slave, func(t *unix.Termios) { t.Oflag &^= unix.OPOST })
	}
	return nil
}

// keyboard reports whether the keyboard is the child's: stdin is the terminal,
// and we are in its foreground.
func (n *session) keyboard() bool {
	return n.stage.tty[0] && n.stage.outer.foreground()
}

// enter makes the terminal raw, if the keyboard is the child's.
func (n *session) enter() {
	if n.keyboard() {
		n.stage.outer.raw()
	}
}

// leave puts the terminal back.
func (n *session) leave() { n.stage.outer.cook() }

// resize passes the terminal's size on; the kernel then sends SIGWINCH to the
// child.
func (n *session) resize() {
	unix.IoctlSetWinsize(descriptor(n.master), unix.TIOCSWINSZ, sizeOf(n.stage.outer.fd))
}

// startKeyboard passes on what is typed, until endKeyboard.
func (n *session) startKeyboard() {
	if !n.keyboard() {
		return
	}
	n.typing = make(chan struct{})
	wake := descriptor(n.child.asleep)
	n.child.readers.Go(func() {
		defer close(n.typing)
		buf := make([]byte, 4096)
		for {
			k, err := readWhenReady(n.stage.std[0], buf, wake)
			if k <= 0 || err != nil {
				return
			}
			sig := n.signalTyped(buf[:k])
			if _, err := n.master.Write(buf[:k]); err != nil {
				return
			}
			if sig != 0 {
				n.stage.mirror(sig)
			}
		}
	})
}

// endKeyboard waits until nothing more is taken from the keyboard: what is
// typed from now on is for whoever comes after us.
func (n *session) endKeyboard() {
	if n.typing == nil {
		return
	}
	n.master.SetWriteDeadline(time.Now())
	select {
	case <-n.typing:
	case <-time.After(100 * time.Millisecond): // another reader was faster, and ours is stuck
	}
}

// signalTyped returns the signal that the pty will make of what is typed.
func (n *session) signalTyped(p []byte) syscall.Signal {
	t, err := unix.IoctlGetTermios(descriptor(n.master), getTermios)
	if err != nil || t.Lflag&unix.ISIG == 0 {
		return 0
	}
	for _, b := range p {
		switch {
		case b == 0:
		case b == t.Cc[unix.VINTR]:
			return syscall.SIGINT
		case b == t.Cc[unix.VQUIT]:
			return syscall.SIGQUIT
		}
	}
	return 0
}
