//go:build unix

package supervisor

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ralph-run/ralph-run/detect"
)

// A wiring is what the child's three standard streams are connected to.
//
// Each stream is decided on its own: what is a terminal for us is one for the
// child, what is not is a pipe, and stdin is handed on as it is wherever it can
// be rewound. Two outputs that go to one place share one pipe or pty, so that
// their order is kept.
type wiring struct {
	c       *child
	files   [3]*os.File // the child's
	control int         // which of files is its controlling terminal, or -1
	theirs  []*os.File  // closed here as soon as the child has them
}

func (s *stage) wire(c *child) (*wiring, error) {
	w := &wiring{c: c, control: -1}
	c.stage = s
	err := errors.Join(w.stop(), w.output(1, detect.Stdout))
	if err == nil && s.together() {
		w.files[2] = w.files[1]
		c.routes[0].stream = merged(s.ptyFor(1))
	} else if err == nil {
		if err = w.output(2, detect.Stderr); err == nil {
			c.routes[1].first = c.routes[0]
		}
	}
	if err == nil {
		err = w.input()
	}
	return w, err
}

// merged is the name of a stream that carries stdout and stderr.
func merged(terminal bool) detect.Stream {
	if terminal {
		return detect.Terminal
	}
	return detect.Stdout
}

// ptyFor reports whether the child's stream i is a pty.
func (s *stage) ptyFor(i int) bool {
	switch s.cfg.PTY {
	case PTYNever:
		return false
	case PTYAlways:
		return i > 0 || s.tty[0]
	}
	return s.tty[i]
}

// together reports whether stdout and stderr go to one place. Nobody can see
// the order on the null device, and apart they tell the detector more.
func (s *stage) together() bool {
	if s.tty[1] && s.tty[2] {
		return true
	}
	a, errA := s.std[1].Stat()
	b, errB := s.std[2].Stat()
	return errA == nil && errB == nil && os.SameFile(a, b) && !isNull(a)
}

// apart reports whether the child's stderr is a stream of its own.
func (s *stage) apart() bool { return !s.together() }

func isNull(fi os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(fi, null)
}

// stop makes the pipe that wakes those who wait for our stdin.
func (w *wiring) stop() (err error) {
	w.c.asleep, w.c.awake, err = os.Pipe()
	return err
}

// output connects the child's stream i to ours.
func (w *wiring) output(i int, stream detect.Stream) error {
	s := w.c.stage
	t := &route{to: s.std[i], stream: stream}
	var theirs *os.File
	var err error
	if s.ptyFor(i) {
		t.pty = true
		if t.from, theirs, err = openPTY(); err == nil {
			t.read = w.c.readPTY(t)
		}
		t.broken = w.c.hangUp(t)
	} else {
		if t.from, theirs, err = pipe(); err == nil {
			t.read = t.readPipe
		}
		t.broken = w.c.refuse
	}
	if err != nil {
		return err
	}
	w.files[i] = theirs
	w.theirs = append(w.theirs, theirs)
	w.c.routes = append(w.c.routes, t)
	if !s.ptyFor(i) {
		return nil
	}
	if s.tty[i] {
		return w.adopt(i, t, theirs)
	}
	if w.control < 0 {
		w.control = i
	}
	setSize(theirs, sizeOf(s.std[i]))
	return bare(theirs)
}

// pipe opens a pipe for an output of the child.
func pipe() (ours, theirs *os.File, err error) {
	ours, theirs, err = os.Pipe()
	if err == nil {
		err = blocking(theirs)
	}
	return ours, theirs, err
}

// pipeTo opens a pipe for the child's stdin.
func pipeTo() (theirs, ours *os.File, err error) {
	theirs, ours, err = os.Pipe()
	if err == nil {
		err = blocking(theirs)
	}
	return theirs, ours, err
}

// blocking undoes what the os package does for its own poller: programs do not
// expect a non-blocking stdout.
func blocking(f *os.File) error { return unix.SetNonblock(descriptor(f), false) }

// adopt makes a pty the inner side of the person's terminal.
func (w *wiring) adopt(i int, t *route, slave *os.File) error {
	w.control = i
	w.c.term = newSession(w.c, t.from)
	return w.c.term.copySettings(slave)
}

// input connects the child's stdin.
func (w *wiring) input() error {
	s, c := w.c.stage, w.c
	switch {
	case s.ptyFor(0) && c.term != nil:
		w.files[0] = w.files[w.control]
		return nil
	case s.ptyFor(0):
		return w.keyboardOnly()
	case s.record == nil && !s.tty[0]:
		w.files[0] = s.std[0]
		return nil
	}
	theirs, ours, err := pipeTo()
	if err != nil {
		return err
	}
	w.files[0], c.stdin = theirs, ours
	w.theirs = append(w.theirs, theirs)
	return nil
}

// keyboardOnly makes a pty for a terminal that only stdin is: its output is
// nothing but the echo.
func (w *wiring) keyboardOnly() error {
	master, slave, err := openPTY()
	if err != nil {
		return err
	}
	t := &route{from: master, to: w.c.stage.std[0], pty: true, mute: true}
	t.read = w.c.readPTY(t)
	t.broken = w.c.hangUp(t)
	w.files[0] = slave
	w.theirs = append(w.theirs, slave)
	w.c.routes = append(w.c.routes, t)
	return w.adopt(0, t, slave)
}

// attr is how the child is started: in its own session with the pty, or else in
// its own process group.
func (w *wiring) attr(env []string) *syscall.ProcAttr {
	a := &syscall.ProcAttr{Env: env, Sys: &syscall.SysProcAttr{}}
	for _, f := range w.files {
		a.Files = append(a.Files, uintptr(descriptor(f)))
	}
	if w.control >= 0 {
		a.Sys.Setsid, a.Sys.Setctty, a.Sys.Ctty = true, true, w.control
	} else {
		a.Sys.Setpgid = true
	}
	dieWithParent(a.Sys)
	return a
}

// closeTheirs closes the child's ends: only with them can the end be seen.
func (w *wiring) closeTheirs() {
	for _, f := range w.theirs {
		f.Close()
	}
}

// closeOurs closes our ends, where no child was started.
func (w *wiring) closeOurs() {
	for _, t := range w.c.routes {
		t.from.Close()
	}
	for _, f := range []*os.File{w.c.stdin, w.c.awake, w.c.asleep} {
		if f != nil {
			f.Close()
		}
	}
}

// refuse ends a child whose output nobody can take. A reader that went away is
// the child's own affair: our end of the pipe is closed next, and its next
// write tells it, as it would without us. Any other error ends it, as tee does.
func (c *child) refuse(err error) {
	if !readerGone(err) {
		c.endWithin(killAfter)
		c.signal(syscall.SIGTERM)
	}
}

// hangUp is refuse for a pty, which has no way to say that its reader is gone
// but the signal. The master is closed next.
func (c *child) hangUp(t *route) func(error) {
	return func(err error) {
		switch {
		case isTerminal(t.to) || errors.Is(err, unix.EIO):
			// The person's terminal is gone: closing the master says so.
		case readerGone(err):
			c.signal(syscall.SIGPIPE)
			c.awaitExit(200 * time.Millisecond)
		default:
			c.refuse(err)
		}
	}
}
