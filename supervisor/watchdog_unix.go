//go:build unix

package supervisor

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// A watchdog kills the child's process group when we are killed ourselves, with
// a signal that nobody can catch. The parent-death signal of Linux is not
// enough: it reaches the child alone, and the launcher of a client from npm has
// the client itself below it.
//
// It is a shell that waits for the end of a pipe which only we hold open: tiny,
// on every Unix, in a session where no terminal's signal reaches it, and not
// called ralph-run, in case we are killed by name. Where there is no shell, there
// is none.
type watchdog struct {
	pid  int
	pipe *os.File
}

const watchdogScript = `read -r _ || kill -s KILL -- "-$1"`

// startWatchdog starts one for the process group.
func startWatchdog(group int) *watchdog {
	d := &watchdog{}
	theirs, ours, err := pipeTo()
	if err != nil {
		return d
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return d
	}
	defer null.Close()
	argv := []string{"sh", "-c", watchdogScript, "ralph-run-watchdog", strconv.Itoa(group)}
	d.pid, err = syscall.ForkExec("/bin/sh", argv, &syscall.ProcAttr{
		Env:   []string{}, // nil would be ours
		Dir:   "/",        // nobody's mount is held
		Files: []uintptr{uintptr(descriptor(theirs)), uintptr(descriptor(null)), uintptr(descriptor(null))},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		d.pid = 0
	}
	d.pipe = ours
	return d
}

// end lets the watchdog go, and waits for it.
func (d *watchdog) end() {
	if d.pid > 0 {
		syscall.Kill(d.pid, syscall.SIGKILL) // before it can see the pipe's end
		for {
			if _, err := syscall.Wait4(d.pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
				break
			}
		}
	}
	if d.pipe != nil {
		d.pipe.Close()
	}
}
