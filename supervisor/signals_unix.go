//go:build unix

package supervisor

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// forwarded are the signals that end a program which does not catch them, and
// which others send on purpose. They go to the child's group; we end when it
// does. A fault of our own is none of them: the Go runtime makes a panic of that.
// CHLD, URG and PROF are not here: they are the Go runtime's. PIPE is not here: it comes
// with a failed write.
var forwarded = append([]os.Signal{
	syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	syscall.SIGALRM, syscall.SIGVTALRM, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGABRT, syscall.SIGSYS,
	syscall.SIGILL, syscall.SIGTRAP, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGIO,
}, systemSignals...)

// asksToEnd are those of them that say: the run is over.
func asksToEnd(sig os.Signal) bool {
	switch sig {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT:
		return true
	}
	return false
}

// catch begins to catch signals, beside what else our start has to do: the Go
// runtime takes a turn of two threads for each. begin waits for it. One that is
// ignored stays so, and so it is for the child, which inherits that (nohup).
func (s *stage) catch() {
	s.caught = make(chan os.Signal, 64)
	go func() {
		keepIgnored()
		for _, sig := range slices.Concat(forwarded, []os.Signal{syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT}) {
			if !signal.Ignored(sig) && !ignored(sig.(syscall.Signal)) {
				signal.Notify(s.caught, sig)
			}
		}
		close(s.catching)
		for sig := range s.caught {
			s.handle(sig.(syscall.Signal))
		}
	}()
}

// keepIgnored restores a part of what the Go runtime has forgotten at its start.
// A shell without job control starts a background command with both INT and QUIT
// ignored, so where INT is, QUIT was.
func keepIgnored() {
	if signal.Ignored(syscall.SIGINT) {
		signal.Ignore(syscall.SIGQUIT)
	}
}

// release ends the catching. It does not wait for it: what comes until then comes
// too late for the child and does no harm.
func (s *stage) release() {
	go func() {
		<-s.catching
		signal.Stop(s.caught)
		close(s.caught)
	}()
}

func (s *stage) handle(sig syscall.Signal) {
	c := s.running()
	switch sig {
	case syscall.SIGWINCH:
		s.typed.mine(sig)
		if c != nil && c.term != nil {
			c.term.resize()
		}
	case syscall.SIGTSTP:
		s.suspend(c)
	case syscall.SIGCONT:
		s.resume(c)
	default:
		s.forward(sig)
	}
}

// forward passes a signal on, once, to the child's group. Where there is no child
// it ends us, as it would have ended a command that has not yet begun to catch it;
// a child that is just being started gets it all the same.
func (s *stage) forward(sig syscall.Signal) {
	if s.typed.mine(sig) {
		return // the pty has given it to the child already
	}
	c := s.receiver(sig)
	if c == nil || asksToEnd(sig) {
		s.asks.set(sig)
	}
	if c != nil {
		s.deliver(c, sig)
	}
}

// receiver returns the child that sig is for, or keeps it for the next one.
func (s *stage) receiver(sig syscall.Signal) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		s.early = append(s.early, sig)
	}
	return s.child
}

// takeEarly returns the signals that came while no child ran.
func (s *stage) takeEarly() []syscall.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	early := s.early
	s.early = nil
	return early
}

func (s *stage) deliver(c *child, sig syscall.Signal) {
	if sig == syscall.SIGTERM && s.cfg.Grace > 0 {
		c.endWithin(s.cfg.Grace)
	}
	c.signal(sig)
}

// mirror does what the terminal would have done without us: the keys for INT
// and QUIT are for everybody in our process group, such as the shell script
// that we run in or the next command of a pipe. The child has got it from the
// pty.
func (s *stage) mirror(sig syscall.Signal) {
	if signal.Ignored(sig) {
		return
	}
	if asksToEnd(sig) {
		s.asks.set(sig)
	}
	got := s.typed.expect(sig)
	syscall.Kill(0, sig)
	select {
	case <-got:
	case <-time.After(time.Second): // it will come all the same, and is still ours then
		if sig == syscall.SIGTSTP { // but for this one: SIGCONT makes the kernel forget it
			s.typed.mine(sig)
		}
	}
}

// echoes are signals that we sent to our own process group and that come back.
type echoes struct {
	mu  sync.Mutex
	got map[syscall.Signal]chan struct{} // those that are still to come
}

// expect returns what is closed when sig has come back. Of one that was sent twice
// before that, the kernel may make one.
func (e *echoes) expect(sig syscall.Signal) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.got == nil {
		e.got = make(map[syscall.Signal]chan struct{})
	}
	if e.got[sig] == nil {
		e.got[sig] = make(chan struct{})
	}
	return e.got[sig]
}

// mine reports whether sig was expected, and expects it no more.
func (e *echoes) mine(sig syscall.Signal) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	got := e.got[sig]
	if got == nil {
		return false
	}
	delete(e.got, sig)
	close(got)
	return true
}
