package supervisor

import "syscall"

// dieWithParent has the kernel kill the child when we are killed.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
