//go:build unix

package supervisor

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A session is the inner side of the person's terminal during one run: the pty
// that the child has instead of it.
//
// It is attached while the keyboard is the child's: then the outer terminal is
// raw and what is typed goes to the pty. At other times the outer terminal is
// as it was found, and does the post-processing of the output; the pty must not
// do it a second time.
type session struct {
	stage   *stage
	child   *child
	master  *os.File
	monitor *monitor    // nil where no shell may stop us
	jobs    bool        // the child's group may be stopped, and be moved to the background
	wanted  atomic.Bool // the child has the keyboard whenever we are in the foreground

	mu       sync.Mutex
	opost    bool          // the pty's post-processing is off for the time being
	borrowed *unix.Termios // what the pty was given in the background, until we are in the foreground
	keyboard *keyboardPump // nil while detached
	over     bool          // the child is gone: never attached again
}

// newSession decides whether the child has the keyboard from the start. In the
// middle of a pipe it may be another command's, as in "ralph-run … | less" or
// "cat | ralph-run …": then the child begins in the background of its terminal,
// and gets the keyboard when it asks for it, also where no shell may stop us.
func newSession(c *child, master *os.File) *session {
	s := c.stage
	n := &session{stage: s, child: c, master: master}
	n.jobs = s.outer.controls() && (hasJobControl() || n.shared())
	n.wanted.Store(s.tty[0] && !(n.jobs && n.shared()))
	return n
}

// shared reports that the keyboard may be another command's.
func (n *session) shared() bool { return !n.stage.tty[0] || isStream(n.stage.std[1]) }

// copySettings gives the pty the settings and the size of the terminal, so that
// the child finds them at its first instant. In the background they are those of
// whoever has the terminal, such as a shell that edits its next line.
func (n *session) copySettings(slave *os.File) error {
	t, err := settingsOf(n.stage.outer.file)
	if err != nil {
		return err
	}
	if !n.has() && t.Oflag&unix.OPOST != 0 {
		t.Oflag &^= unix.OPOST
		n.opost = true
	}
	if !n.stage.outer.foreground() {
		n.borrowed = t
	}
	setSize(slave, sizeOf(n.stage.outer.file))
	return setSettings(slave, t)
}

// has reports whether the keyboard is the child's now.
func (n *session) has() bool { return n.wanted.Load() && n.stage.outer.foreground() }

// begin attaches the keyboard before the start of the child, if it is its own.
func (n *session) begin() {
	if n.has() {
		n.attach()
	}
}

// attach makes the outer terminal raw and passes on what is typed.
func (n *session) attach() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return // a SIGCONT that came late
	}
	if n.keyboard == nil {
		n.keyboard = startKeyboard(n)
	}
	if n.stage.outer.raw() != nil {
		return
	}
	n.settings()
	if n.opost {
		n.opost = false
		changeSettings(n.master, func(t *unix.Termios) { t.Oflag |= unix.OPOST })
	}
}

// settings gives the pty what a child of the foreground finds, if it has somebody
// else's settings and the child has not changed them.
func (n *session) settings() {
	found := n.stage.outer.found()
	if n.borrowed == nil || found == nil {
		return
	}
	changeSettings(n.master, func(t *unix.Termios) {
		b := n.borrowed
		if t.Iflag == b.Iflag && t.Oflag == b.Oflag && t.Cflag == b.Cflag && t.Lflag == b.Lflag && t.Cc == b.Cc {
			*t = *found
		}
	})
	n.borrowed = nil
}

// endKeyboard takes nothing more from the keyboard, for good: the child is gone.
// While the last of its output is written, which may take long, Ctrl-C is for us.
func (n *session) endKeyboard() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	n.pauseKeyboard()
	n.stage.outer.interruptible()
}

func (n *session) pauseKeyboard() {
	if n.keyboard != nil {
		n.keyboard.end()
		n.keyboard = nil
	}
}

// detach puts the terminal back.
func (n *session) detach() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pauseKeyboard()
	n.stage.outer.cook()
	changeSettings(n.master, func(t *unix.Termios) {
		n.opost = n.opost || t.Oflag&unix.OPOST != 0
		t.Oflag &^= unix.OPOST
	})
}

// resize passes the terminal's size on.
func (n *session) resize() { setSize(n.master, sizeOf(n.stage.outer.file)) }

// A keyboardPump passes on what is typed.
type keyboardPump struct {
	session *session
	wake    *os.File // closed to end it
	done    chan struct{}
}

func startKeyboard(n *session) *keyboardPump {
	asleep, wake, err := os.Pipe()
	if err != nil {
		return nil
	}
	k := &keyboardPump{session: n, wake: wake, done: make(chan struct{})}
	go func() {
		defer n.stage.onPanic()
		defer close(k.done)
		defer asleep.Close()
		k.run(descriptor(asleep))
	}()
	return k
}

func (k *keyboardPump) run(wake int) {
	n := k.session
	from := n.stage.outer.keyboard()
	buf := make([]byte, 4096)
	for {
		got, err := readWhenReady(from, buf, wake)
		if got <= 0 || err != nil {
			return // woken, or the terminal hung up
		}
		sig := n.signalTyped(buf[:got])
		if writeUnless(n.master, buf[:got], wake) != nil {
			return
		}
		if sig != 0 {
			n.stage.mirror(sig)
		}
	}
}

// end waits until nothing more is taken from the keyboard: what is typed from
// now on is for whoever comes after us.
func (k *keyboardPump) end() {
	k.wake.Close()
	select {
	case <-k.done:
	case <-time.After(time.Second): // another reader was faster, and ours is stuck
	}
}

// signalTyped returns the signal that the pty will make of what is typed.
func (n *session) signalTyped(p []byte) syscall.Signal {
	t, err := settingsOf(n.master)
	if err != nil || t.Lflag&unix.ISIG == 0 {
		return 0
	}
	for _, b := range p {
		switch {
		case b == 0: // a key that is turned off
		case b == t.Cc[unix.VINTR]:
			return syscall.SIGINT
		case b == t.Cc[unix.VQUIT]:
			return syscall.SIGQUIT
		case b == t.Cc[unix.VSUSP]:
			return syscall.SIGTSTP
		}
	}
	return 0
}
