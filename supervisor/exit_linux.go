package supervisor

import (
	"os"
	"syscall"
	"unsafe"
)

// systemSignals are those of the forwarded signals that not every system has.
var systemSignals = []os.Signal{syscall.SIGPWR, syscall.SIGSTKFLT}

// defaultAction gives sig its default action. [signal.Reset] only restores that
// of the Go runtime, which prints all goroutines for QUIT, ABRT or SEGV and
// exits with 2. An all-zero struct sigaction is SIG_DFL.
func defaultAction(sig syscall.Signal) {
	var zero [64]byte
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&zero)), 0, 8, 0, 0)
}

// ignored reports whether sig is ignored. Unlike [signal.Ignored] it knows of
// those that were so at our start and that the runtime does not touch, as TSTP.
func ignored(sig syscall.Signal) bool {
	var action [8]uintptr // begins with the handler
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	const sigIgn = 1
	return action[0] == sigIgn
}
