//go:build unix

package main

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// cmdSignal sends a signal to the process whose id is in a file, or with no
// file to the last one started in the background: signal TERM [FILE].
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: signal NAME [pidfile]")
	}
	sig := unix.SignalNum("SIG" + args[0])
	var pid int
	if len(args) == 2 {
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
		ts.Check(err)
	} else {
		commands := ts.BackgroundCmds()
		pid = commands[len(commands)-1].Process.Pid
	}
	ts.Check(syscall.Kill(pid, sig))
}
