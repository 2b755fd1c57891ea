package redistest

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel end the server if the test binary is killed.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
