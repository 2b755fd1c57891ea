//go:build unix

package supervisor

import "syscall"

// suspend is asked for with SIGTSTP: the child decides, and when it stops, so
// do we.
func (s *stage) suspend(c *child) {
	if c != nil {
		c.signal(syscall.SIGTSTP)
		return
	}
	syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
}

// childStopped stops us after the child, with the terminal cooked.
func (s *stage) childStopped(c *child, sig syscall.Signal) {
	if c.term != nil {
		c.term.leave()
	}
	syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
}

// resume goes on after SIGCONT: with the terminal raw again, where it is ours.
func (s *stage) resume(c *child) {
	if c == nil {
		return
	}
	if c.term != nil {
		c.term.enter()
		c.term.resize()
	}
	c.signal(syscall.SIGCONT)
}
