//go:build unix

package supervisor

import (
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// suspend is asked for with SIGTSTP: the child decides, and when it stops, so
// do we.
func (s *stage) suspend(c *child) {
	if s.typed.mine(syscall.SIGTSTP) {
		return // the pty has given it to the child already
	}
	if c != nil {
		c.signal(syscall.SIGTSTP)
		return
	}
	if hasJobControl() {
		stopBy(syscall.SIGTSTP)
	}
}

// childStopped follows a child that stopped: so do we, with the terminal put back
// and by the same signal, so that a shell shows the same. One that only wants the
// terminal gets it, if it is ours to give.
func (s *stage) childStopped(c *child, sig syscall.Signal) {
	conts := s.conts.Load()
	wants := sig == syscall.SIGTTIN || sig == syscall.SIGTTOU
	if wants && c.term == nil && s.handOver(c) {
		c.signal(syscall.SIGCONT)
		return
	}
	if wants && c.term != nil {
		c.term.wanted.Store(true)
		if c.term.has() {
			s.goOn(c)
			return
		}
	}
	c.settle()
	if c.term != nil {
		c.term.detach()
	}
	s.takeBack()
	if !hasJobControl() { // nobody could let us go on; whoever stopped the child alone can let it go on alone
		if sig == syscall.SIGTSTP && c.term != nil && c.term.monitor != nil {
			s.goOn(c) // without us the kernel would not have let the terminal stop it
		}
		return
	}
	s.catchUp()
	if s.conts.Load() != conts || isRunning(c.group) {
		if c.term != nil && c.term.has() {
			c.term.attach()
		}
		return // somebody has let it go on meanwhile, and will not do so again
	}
	stopBy(sig)
}

// catchUp waits until the signals are handled that have come so far: the Go runtime
// hands out one that came before the one sent here, and has a lower number, first.
func (s *stage) catchUp() {
	got := s.typed.expect(syscall.SIGWINCH)
	syscall.Kill(unix.Getpid(), syscall.SIGWINCH)
	select {
	case <-got:
	case <-time.After(time.Second): // it is ignored
	}
}

// settle waits until what a stopped child has written is passed on: it must not
// wait with us for the shell.
func (c *child) settle() {
	quiet := 0
	for end := time.Now().Add(500 * time.Millisecond); quiet < 3 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		quiet++
		for _, t := range c.routes {
			if hasInput(descriptor(t.from)) {
				quiet = 0
			}
		}
	}
}

// resume goes on after SIGCONT.
func (s *stage) resume(c *child) {
	s.conts.Add(1)
	if c == nil {
		return
	}
	if c.term == nil {
		c.signal(syscall.SIGCONT)
		return
	}
	s.goOn(c)
	c.term.resize()
}

// goOn lets the child go on, with the terminal if that is ours now.
func (s *stage) goOn(c *child) {
	n := c.term
	order := byte(orderBackground)
	if n.has() {
		n.attach()
		order = orderForeground
	}
	c.mu.Lock() // it may just be starting
	m := n.monitor
	c.mu.Unlock()
	if m != nil {
		m.order(order)
		return
	}
	c.signal(syscall.SIGCONT)
}

// handOver makes the child's group the foreground of our terminal, for one that
// reads from /dev/tty although none of its streams is a terminal.
func (s *stage) handOver(c *child) bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	s.lent = unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, c.group) == nil
	return s.lent
}

// takeBack undoes handOver.
func (s *stage) takeBack() {
	if !s.lent {
		return
	}
	s.lent = false
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	defer unix.Close(tty)
	if !ignored(syscall.SIGTTOU) { // we are in the background
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, unix.Getpgrp())
}

// hasJobControl reports whether a shell may stop our process group: that
// somebody in our session outside of the group is the parent of one in it. Else
// the kernel lets no terminal stop us, and must not stop the child either.
func hasJobControl() bool {
	group, session := unix.Getpgrp(), sessionOf(0)
	for pid := unix.Getppid(); pid > 1; pid = parentOf(pid) {
		if sessionOf(pid) != session {
			return false
		}
		if g, err := unix.Getpgid(pid); err != nil || g != group {
			return err == nil
		}
	}
	return false
}

func sessionOf(pid int) int {
	sid, err := unix.Getsid(pid)
	if err != nil {
		return -1
	}
	return sid
}
