//go:build unix && !linux

package supervisor

import "syscall"

// parentOf returns 0: not known. A script that a shell may stop together with
// us is taken for one that nobody may.
func parentOf(int) int { return 0 }

// stopBy stops this process. TSTP we catch, and the Go runtime does not give it
// its default action again: STOP does the same.
func stopBy(sig syscall.Signal) {
	if sig == syscall.SIGTSTP {
		sig = syscall.SIGSTOP
	}
	syscall.Kill(syscall.Getpid(), sig)
}

// isRunning reports whether a process is not stopped, where that can be known.
func isRunning(int) bool { return false }

// groupLives reports whether a process group has a member.
func groupLives(group int) bool { return syscall.Kill(-group, 0) != syscall.ESRCH }
