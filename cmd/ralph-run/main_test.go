package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary plays the program, the clients it runs, and a terminal.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ralph-run": main,
		"child":     child,
		"copilot":   client,
		"claude":    client,
		"codex":     client,
		"onpty":     onPTY,
		"records":   addRecords,
	})
}

func TestScript(t *testing.T) {
	testscript.Run(t, scriptParams("script"))
}

// scriptParams are what all scripts below a folder of testdata can use.
func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir: filepath.Join("testdata", dir),
		Setup: func(env *testscript.Env) error {
			env.Vars = slices.DeleteFunc(env.Vars, func(v string) bool { return strings.HasPrefix(v, "RALPH_RUN_") })
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("TZ", "UTC")
			env.Setenv("GORACE", "atexit_sleep_ms=10") // every program would sleep a second at its end
			env.Setenv("NL", "\n")
			env.Setenv("CTRL_C", "\x03")
			bin, err := exec.LookPath("ralph-run")
			if err != nil {
				return err
			}
			env.Setenv("BIN", filepath.Dir(bin))
			env.Setenv("STATE", filepath.Join(env.WorkDir, ".squad", "ralph-circuit-breaker.json"))
			// A script's folder is a repository, so that no state above it counts.
			return errors.Join(os.Mkdir(home, 0o755), os.Mkdir(filepath.Join(env.WorkDir, ".git"), 0o755))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": cmdStatus,
			"signal": cmdSignal,
			"await":  cmdAwait,
			"json":   cmdJSON,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	}
}

// cmdStatus runs a command that must end with this status, 128+n after signal
// n: status N COMMAND [ARG…].
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [arg...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	got := 0
	if exit != nil {
		got = shellStatus(exit.ProcessState)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}

// shellStatus is how a process ended, as a shell shows it.
func shellStatus(p *os.ProcessState) int {
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.ExitCode()
}

// patience bounds every wait of a test; nothing waits this long unless it is
// broken.
const patience = 30 * time.Second

// cmdAwait waits until a file exists, or no longer does (!), or until a pattern
// matches in it: await FILE [PATTERN].
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await file [pattern]")
	}
	there := func() bool {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil || len(args) < 2 {
			return err == nil
		}
		found, err := regexp.Match("(?m)"+args[1], data)
		ts.Check(err)
		return found
	}
	for end := time.Now().Add(patience); there() == neg; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s: waited in vain", args[0])
		}
	}
}
