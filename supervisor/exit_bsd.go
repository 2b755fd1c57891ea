//go:build unix && !linux

package supervisor

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// systemSignals are those of the forwarded signals that not every system has.
var systemSignals = []os.Signal{syscall.SIGEMT}

// defaultAction gives sig its default action. [signal.Reset] only restores that
// of the Go runtime, which prints all goroutines for QUIT, ABRT or SEGV and
// exits with 2. For those another program takes this process over: exec gives
// every caught signal its default action.
func defaultAction(sig syscall.Signal) {
	switch sig {
	case syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGBUS,
		syscall.SIGSEGV, syscall.SIGSYS, syscall.SIGEMT:
		syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + strconv.Itoa(int(sig)) + " $$"}, nil)
	}
}

// ignored reports whether sig is ignored.
func ignored(sig syscall.Signal) bool { return signal.Ignored(sig) }
