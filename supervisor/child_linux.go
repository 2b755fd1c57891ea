package supervisor

import "syscall"

// dieWithParent has the kernel kill the child when we are killed.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// liveOn undoes it.
func liveOn(a *syscall.SysProcAttr) { a.Pdeathsig = 0 }
