//go:build unix

package supervisor

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

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
	orderDismiss    = 'd' // it has ended, or there is none
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
	args := append([]string{monitorName, strconv.Itoa(fd), strconv.Itoa(a.Sys.Ctty), strconv.FormatBool(foreground), newMark(), path}, argv...)
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
	m.order(orderDismiss)
	m.ctl.Close()
	reapOnly(m.pid)
}
