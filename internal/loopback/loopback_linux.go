package loopback

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Enter reports inside = true when this process runs in the namespace, with
// loopback up. Otherwise it has run the program again in a new one, with the same
// arguments and standard streams, and status is what that ended with.
func Enter() (inside bool, status int, err error) {
	if os.Getenv(mark) != "" {
		return true, 0, prepare()
	}
	program, err := os.Executable()
	if err != nil {
		return false, 0, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespace()

	// The kernel kills the inner program when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) || err == nil {
		return false, cmd.ProcessState.ExitCode(), nil
	}
	return false, 0, fmt.Errorf("make a network namespace: %w (allow it: run as root, or sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give the container CAP_SYS_ADMIN)", err)
}

// namespace asks for what `unshare -n` does, or `unshare -rn` where the user is
// not root.
func namespace() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// prepare brings loopback up and makes sure that there is nothing else.
func prepare() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	defer unix.Close(fd)
	up, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("name the loopback interface: %w", err)
	}
	up.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, up); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	all, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list network interfaces: %w", err)
	}
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			return fmt.Errorf("this network has %s beside loopback: unset %s and start again", i.Name, mark)
		}
	}
	return nil
}
