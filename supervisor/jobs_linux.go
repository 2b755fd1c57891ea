package supervisor

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// parentOf returns the parent of a process, or 0.
func parentOf(pid int) int { return readStat(strconv.Itoa(pid)).parent }

// stopBy stops this process by sig, and returns when it goes on. TSTP we catch, and
// the Go runtime does not give it its default action again: for the moment of the
// stop we do. The signal goes to this very thread, which takes it before the call
// returns and the handler is put back.
func stopBy(sig syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var was [8]uintptr
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	defaultAction(sig)
	unix.Tgkill(unix.Getpid(), unix.Gettid(), sig)
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&was)), 0, 8, 0, 0)
}

// groupLives reports whether a process group has a member that is more than a
// zombie: the first process of a container may not reap those.
func groupLives(group int) bool {
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return false
	}
	proc, err := os.Open("/proc")
	if err != nil {
		return true
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if s := readStat(name); s.group == group && s.state != 'Z' && s.state != 'X' {
			return true
		}
	}
	return false
}

// isRunning reports whether a process is not stopped, where that can be known.
func isRunning(pid int) bool {
	switch readStat(strconv.Itoa(pid)).state {
	case 'R', 'S', 'D':
		return true
	}
	return false
}

type procStat struct {
	state         byte
	parent, group int
}

// readStat reads what /proc says of a process; all is zero if it is gone.
func readStat(pid string) (s procStat) {
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	// The name, in parentheses, may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return s
	}
	s.state = fields[0][0]
	s.parent, _ = strconv.Atoi(string(fields[1]))
	s.group, _ = strconv.Atoi(string(fields[2]))
	return s
}
