//go:build unix && !linux

package supervisor

import "syscall"

// dieWithParent does nothing: the system has no parent-death signal. The
// watchdog ends the group.
func dieWithParent(*syscall.SysProcAttr) {}

func liveOn(*syscall.SysProcAttr) {}
