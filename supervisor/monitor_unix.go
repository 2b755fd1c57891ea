//go:build unix

package supervisor

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A monitor is a second process of this program, between us and a child that a
// job-control shell may stop. The kernel never lets a terminal stop a process
// group whose parents are all in other sessions, as a child's would be on a pty
// of its own. The monitor leads the pty's session, and the child has a group of
// its own in it, as it would have below a shell.
//
// It also ends the child's group when we are killed.
type monitor struct {
	pid int
	ctl *os.File // a socket: reports come, orders go
}

// monitorName is os.Args[0] of a monitor.
const monitorName = "ralph-run: monitor"

// A report is what the monitor says, and an order what it is told: a letter and
// a number.
const (
	reportStarted = 'p' // the child's pid
	reportFailed  = 'e' // the error number of its start
	reportStatus  = 'w' // a wait status

	orderForeground = 'f' // give the child the terminal
	orderBackground = 'b' // take the terminal from it
)

type message [5]byte

func newMessage(kind byte, n int) (w message) {
	w[0] = kind
	binary.NativeEndian.PutUint32(w[1:], uint32(n))
	return w
}

func (w message) value() int { return int(int32(binary.NativeEndian.Uint32(w[1:]))) }

func readMessage(r io.Reader) (w message, err error) {
	_, err = io.ReadFull(r, w[:])
	return w, err
}

var errNoMonitor = errors.New("no monitor could be started")

// self is this program's file.
func self() string {
	const self = "/proc/self/exe" // also when the file was replaced
	if _, err := os.Stat(self); err == nil {
		return self
	}
	file, _ := os.Executable()
	return file
}

// spawnMonitored is spawn with a monitor in between. The child is in the
// foreground of its terminal from its first instant, or else stops when it
// reads from it.
func spawnMonitored(path string, argv []string, a *syscall.ProcAttr, foreground bool) (int, chan syscall.WaitStatus, *monitor, error) {
	ours, theirs, err := controlSocket()
	if err != nil {
		return 0, nil, nil, errors.Join(errNoMonitor, err)
	}
	defer theirs.Close()
	fd := descriptor(theirs)
	args := append([]string{monitorName, strconv.Itoa(fd), strconv.Itoa(a.Sys.Ctty), strconv.FormatBool(foreground), path}, argv...)
	unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0) // at its own number: any other may be the caller's and meant for the child
	liveOn(a.Sys)                               // it has to end the group
	pid, err := syscall.ForkExec(self(), args, a)
	unix.CloseOnExec(fd)
	if err != nil {
		ours.Close()
		return 0, nil, nil, errors.Join(errNoMonitor, err)
	}
	theirs.Close()
	m := &monitor{pid: pid, ctl: ours}
	w, err := readMessage(ours)
	if err == nil && w[0] == reportStarted {
		status := make(chan syscall.WaitStatus, 1)
		go m.relay(status)
		return w.value(), status, m, nil
	}
	m.dismiss()
	if err != nil {
		return 0, nil, nil, errors.Join(errNoMonitor, err)
	}
	return 0, nil, nil, syscall.Errno(w.value())
}

func controlSocket() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "monitor"), os.NewFile(uintptr(fds[1]), "monitor"), nil
}

// relay passes the child's stops and its end on. A monitor that is gone has
// taken the child with it.
func (m *monitor) relay(status chan<- syscall.WaitStatus) {
	defer close(status)
	for {
		w, err := readMessage(m.ctl)
		if err != nil {
			status <- syscall.WaitStatus(syscall.SIGKILL)
			return
		}
		ws := syscall.WaitStatus(w.value())
		status <- ws
		if !ws.Stopped() {
			return
		}
	}
}

func (m *monitor) order(kind byte) {
	w := newMessage(kind, 0)
	m.ctl.Write(w[:])
}

// dismiss lets the monitor go, and waits for it.
func (m *monitor) dismiss() {
	m.ctl.Close()
	for {
		if _, err := syscall.Wait4(m.pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// A process that is started under the monitor's name is one: it never gets to
// main.
func init() {
	if len(os.Args) > 5 && os.Args[0] == monitorName {
		os.Exit(monitorMain(os.Args[1:]))
	}
}

// monitorMain is the monitor's main: the socket's descriptor, that of the
// terminal, whether the child begins in its foreground, the program, its argv.
func monitorMain(args []string) int {
	fd, err1 := strconv.Atoi(args[0])
	tty, err2 := strconv.Atoi(args[1])
	if err1 != nil || err2 != nil {
		return 125
	}
	unix.CloseOnExec(fd)
	m := &monitored{ctl: os.NewFile(uintptr(fd), "ralph-run")}
	runtime.LockOSThread() // the child's parent-death signal hangs on this thread
	surviveSignals()
	a := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true}}
	a.Sys.Foreground, a.Sys.Ctty = args[2] == "true", tty
	dieWithParent(a.Sys)
	var err error
	if m.group, err = forkExec(args[3], args[4:], a); err != nil {
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

// obey follows the orders. Who gives them ends the child first, if he can.
func (m *monitored) obey() {
	for {
		w, err := readMessage(m.ctl)
		if err != nil {
			m.endGroup()
			return
		}
		m.mu.Lock()
		switch {
		case m.tty == nil:
		case w[0] == orderForeground:
			m.give(m.group)
		case w[0] == orderBackground:
			m.give(unix.Getpgrp())
		}
		m.mu.Unlock()
	}
}

// endGroup ends the group of a child that is still there: asked first, for the
// program behind a launcher may have processes of its own to end.
func (m *monitored) endGroup() {
	m.mu.Lock()
	over := m.tty == nil
	m.mu.Unlock()
	if over {
		return
	}
	syscall.Kill(-m.group, syscall.SIGTERM)
	syscall.Kill(-m.group, syscall.SIGCONT)
	for end := time.Now().Add(killAfter); groupLives(m.group) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	syscall.Kill(-m.group, syscall.SIGKILL)
}

// give gives the terminal to a process group and lets the child go on.
func (m *monitored) give(group int) {
	unix.IoctlSetPointerInt(descriptor(m.tty), unix.TIOCSPGRP, group)
	syscall.Kill(-m.group, syscall.SIGCONT)
}
