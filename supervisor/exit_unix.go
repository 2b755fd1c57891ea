//go:build unix

package supervisor

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Die ends this process as the child ended: with the same status, or by the
// same signal, so that whoever started us sees what the child's death would
// have shown. There is no second core dump. Only main calls it, after
// everything has been put back.
func (e Exit) Die() {
	if e.Signal != 0 {
		dieBy(e.Signal)
	}
	os.Exit(e.ShellCode()) // the first process of a PID namespace survives its own signals
}

func dieBy(sig syscall.Signal) {
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	signal.Reset(sig)
	defaultAction(sig)
	syscall.Kill(syscall.Getpid(), sig)
	time.Sleep(time.Second) // it may be taken by another thread of ours
}
