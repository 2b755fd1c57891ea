//go:build unix

package supervisor

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

type stageSys struct {
	std    [3]*os.File
	tty    [3]bool
	outer  *terminal // nil without a terminal
	stdin0 int64     // where a seekable stdin stood at first, or -1
	record *recording
	caught chan os.Signal
	typed  echoes
	early  []syscall.Signal // came while no child ran: for the next one; below mu
	conts  atomic.Int32     // how many SIGCONTs have come
	lent   bool             // the terminal's foreground is the child's, below a pipe
	guard  *guard           // for the next child, if it is started already
	guards []*guard         // of those before
}

func (s *stage) open() error {
	s.std = [3]*os.File{s.cfg.Stdin, s.cfg.Stdout, s.cfg.Stderr}
	for i, f := range s.std {
		s.tty[i] = isTerminal(f)
		if s.tty[i] && s.outer == nil {
			s.outer = &terminal{file: f}
		}
	}
	s.stdin0 = stdinPlace(s.std[0])
	if !s.tty[0] && isStream(s.std[0]) && s.cfg.recordsStdin() {
		s.record = &recording{from: s.std[0], limit: recordInMemory}
	}
	s.catch()
	if s.outer == nil {
		s.guard = startGuard(s.cfg.Logger) // there will be no monitor
	}
	return nil
}

// interactive reports a person at the keyboard: stdin is a terminal.
func (s *stage) interactive() bool { return s.tty[0] }

func (s *stage) shut() {
	if c := s.running(); c != nil {
		c.signal(syscall.SIGKILL) // only after a panic: it must not be left behind
	}
	if s.outer != nil {
		s.outer.cook()
	}
	s.release()
	for _, g := range append(s.guards, s.guard) {
		g.dismiss()
		g.await()
	}
	if s.record != nil {
		s.record.close()
	}
}

// rewind puts stdin back to where it stood at the first start.
func (s *stage) rewind() error {
	if s.record != nil {
		return s.record.replayable()
	}
	if s.stdin0 < 0 {
		return nil
	}
	_, err := unix.Seek(descriptor(s.std[0]), s.stdin0, unix.SEEK_SET)
	return os.NewSyscallError("rewind stdin", err)
}

// isStream reports whether f can be read only once: a pipe or a socket.
func isStream(f *os.File) bool {
	fi, err := f.Stat()
	return err == nil && fi.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// feed gives the child the recorded stdin, or for a pipe instead of the
// terminal what is typed.
func (s *stage) feed(c *child) {
	r := s.record
	if r == nil {
		r = &recording{from: s.std[0]}
	}
	r.feed(c.stdin, descriptor(c.asleep))
}

// launch starts the program at path. doc.go numbers the steps.
func (s *stage) launch(path string, spec childSpec) (*child, error) {
	c := &child{stage: s, finished: make(chan struct{})}
	c.exited = make(chan struct{})
	w, err := s.wire(c)
	defer w.closeTheirs()
	if err == nil {
		err = w.begin(path, spec)
	}
	if err != nil {
		w.closeOurs()
		return nil, startError(spec.argv[0], err)
	}
	c.relay = newRelay(spec.observe, s.cfg.Logger)
	go c.relay.watch()
	for _, t := range c.routes {
		c.relay.carry(t)
	}
	if c.stdin != nil {
		c.readers.Go(func() { s.feed(c) })
	}
	go func() {
		defer s.onPanic()
		c.run()
	}()
	return c, nil
}

// begin starts the child, with the terminal ready for it.
func (w *wiring) begin(path string, spec childSpec) (err error) {
	c, s := w.c, w.c.stage
	<-s.catching
	if c.term != nil {
		c.term.begin()
	}
	c.mu.Lock() // a signal that comes now waits until there is somebody to get it
	s.setRunning(c)
	c.group, c.status, c.keeper, err = w.spawn(path, spec)
	c.gone = err != nil
	c.mu.Unlock()
	if err != nil {
		s.setRunning(nil)
		if c.term != nil {
			c.term.endKeyboard()
			c.term.detach()
		}
		return err
	}
	for _, sig := range s.takeEarly() {
		s.deliver(c, sig)
	}
	return nil
}

// A keeper ends the child's group when we are killed. It is dismissed when the
// child has ended.
type keeper interface {
	dismiss()
}

// spawn starts the child below a monitor, where a shell may stop it, or else
// directly and with a guard.
func (w *wiring) spawn(path string, spec childSpec) (int, chan syscall.WaitStatus, keeper, error) {
	term := w.c.term
	if term != nil && term.jobs {
		pid, status, m, err := spawnMonitored(path, spec.argv, w.attr(spec.env), term.has())
		if !errors.Is(err, errNoMonitor) {
			term.monitor = m
			return pid, status, m, err
		}
		w.c.stage.cfg.Logger.Warn("no job control for the child", zap.Error(err))
	}
	g := w.c.stage.nextGuard()
	pid, status, err := spawn(path, spec.argv, w.attr(g.marked(spec.env)))
	if err != nil {
		return 0, nil, nil, err
	}
	g.watch(pid)
	return pid, status, g, nil
}

// nextGuard returns the guard of the next child. It is there already: we may be
// killed as soon as there is a child.
func (s *stage) nextGuard() *guard {
	g := s.guard
	if g == nil {
		g = startGuard(s.cfg.Logger)
	}
	s.guard, s.guards = nil, append(s.guards, g)
	g.ready()
	return g
}
