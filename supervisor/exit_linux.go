package supervisor

import (
	"syscall"
	"unsafe"
)

// defaultAction gives sig its default action. [signal.Reset] only restores that
// of the Go runtime, which prints all goroutines for QUIT, ABRT or SEGV and
// exits with 2. An all-zero struct sigaction is SIG_DFL.
func defaultAction(sig syscall.Signal) {
	var zero [64]byte
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&zero)), 0, 8, 0, 0)
}
