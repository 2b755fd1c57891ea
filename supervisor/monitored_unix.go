//go:build unix

package supervisor

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// This file is the monitor's own side.

// A process that is started under the monitor's name is one: it never gets to
// main.
func init() {
	if len(os.Args) > 6 && os.Args[0] == monitorName {
		os.Exit(monitorMain(os.Args[1:]))
	}
}

// monitorMain is the monitor's main: the socket's descriptor, that of the
// terminal, whether the child begins in its foreground, the mark that the child
// bears and the monitor does not, the program, its argv.
func monitorMain(args []string) int {
	fd, err1 := strconv.Atoi(args[0])
	tty, err2 := strconv.Atoi(args[1])
	if err1 != nil || err2 != nil {
		return 125
	}
	unix.CloseOnExec(fd)
	m := &monitored{ctl: os.NewFile(uintptr(fd), "ralph-run"), mark: args[3]}
	runtime.LockOSThread() // the child's parent-death signal hangs on this thread
	surviveSignals()
	a := &syscall.ProcAttr{Env: markedBy(m.mark, os.Environ()), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true}}
	a.Sys.Foreground, a.Sys.Ctty = args[2] == "true", tty
	dieWithParent(a.Sys)
	var err error
	if m.group, err = forkExec(args[4], args[5:], a); err != nil {
		var no syscall.Errno
		errors.As(err, &no)
		m.report(reportFailed, int(no))
		return 125
	}
	m.keepOnly(tty)
	m.report(reportStarted, m.group)
	go m.watch()
	m.obey()
	return 0
}

// surviveSignals has the monitor outlive what is meant for the child, without
// ignoring anything, which the child would inherit.
func surviveSignals() {
	keepIgnored()
	drop := make(chan os.Signal, 1)
	for _, sig := range forwarded {
		if !signal.Ignored(sig) {
			signal.Notify(drop, sig)
		}
	}
}

// A monitored is the monitor's side of its child.
type monitored struct {
	ctl   *os.File
	mark  string
	group int

	mu  sync.Mutex
	tty *os.File // nil when the child has ended
}

// keepOnly lets go of the child's streams, so that their end can be seen, and
// keeps the terminal in another place.
func (m *monitored) keepOnly(tty int) {
	signal.Ignore(syscall.SIGTTOU) // from now on no child inherits it: for tcsetpgrp from the background
	if fd, err := unix.FcntlInt(uintptr(tty), unix.F_DUPFD_CLOEXEC, 3); err == nil {
		m.tty = os.NewFile(uintptr(fd), "tty")
	}
	for fd := range 3 {
		unix.Close(fd)
		unix.Open(os.DevNull, unix.O_RDWR, 0)
	}
}

func (m *monitored) report(kind byte, n int) {
	w := newMessage(kind, n)
	m.ctl.Write(w[:])
}

// watch reports the child's stops and its end.
func (m *monitored) watch() {
	status := make(chan syscall.WaitStatus, 1)
	go reap(m.group, status)
	for ws := range status {
		if !ws.Stopped() {
			m.letGo()
		}
		m.report(reportStatus, int(ws))
	}
}

// letGo takes the terminal from the child's group and closes it: the hang-up at
// our end is not for what the child left in the background, and the end of the
// output can be seen.
func (m *monitored) letGo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tty != nil {
		unix.IoctlSetPointerInt(descriptor(m.tty), unix.TIOCSPGRP, unix.Getpgrp())
		m.tty.Close()
		m.tty = nil
	}
}

// obey follows the orders. Where they end without a dismissal, who gave them was
// killed.
func (m *monitored) obey() {
	for {
		w, err := readMessage(m.ctl)
		if err != nil {
			m.endGroup()
			return
		}
		if w[0] == orderDismiss {
			return
		}
		m.turn(w[0])
	}
}

// turn gives the terminal to the child or takes it back, while there is a child.
func (m *monitored) turn(order byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.tty == nil:
	case order == orderForeground:
		m.give(m.group)
	case order == orderBackground:
		m.give(unix.Getpgrp())
	}
}

// endGroup ends the child's group and what has left it, as a guard does: asked
// first, for the program behind a launcher may have processes of its own to end.
// The child is killed when we end, so that is last.
func (m *monitored) endGroup() {
	g := startGuardOf(m.mark, zap.NewNop())
	g.watch(m.group)
	if !g.act() {
		syscall.Kill(-m.group, syscall.SIGKILL)
	}
}

// give gives the terminal to a process group and lets the child go on.
func (m *monitored) give(group int) {
	unix.IoctlSetPointerInt(descriptor(m.tty), unix.TIOCSPGRP, group)
	syscall.Kill(-m.group, syscall.SIGCONT)
}
