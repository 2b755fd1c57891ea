package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ralph-run/ralph-run/supervisor"
)

// The shim: a link to ralph-run that is called like a client and stands before
// it on PATH. It has no flags of its own, so that every word is the client's;
// its settings come from the environment.

// shimmed reports the client whose name ralph-run was called by.
func shimmed(arg0 string) (string, bool) {
	name := filepath.Base(arg0)
	return name, knownClient(name)
}

// knownClient reports the name of a client whose command line is understood.
func knownClient(name string) bool {
	return supervisor.ParseCommand([]string{name}).Client() != ""
}

// shim runs the real client under the breaker.
func (p *program) shim(ctx context.Context, client string, args []string) error {
	path, err := behind(client, p.env)
	if err != nil {
		return &hintError{err, "only links to ralph-run have that name on PATH; the client's own folder has to stand there after them"}
	}
	app := newApp(p)
	if err := checkToggles(app.Flags); err != nil {
		return err
	}
	p.command = append([]string{path}, args...)
	all := append(searched(p.env), ownPath())
	p.env = supervisor.WithEnv(p.env, searchedName, strings.Join(all, string(filepath.ListSeparator)))
	return app.RunContext(ctx, []string{app.Name})
}

// unshimmed is COMMAND with the real client in place of ralph-run's link to it:
// called through the link, the client would be asked for under a breaker twice.
func unshimmed(command, env []string) []string {
	if strings.ContainsAny(command[0], `/\`) || !knownClient(command[0]) {
		return command
	}
	path, err := exec.LookPath(command[0])
	if err != nil || !isSelf(path) {
		return command
	}
	if path, err = behind(command[0], env); err != nil {
		return command // the link itself says what is wrong
	}
	return append([]string{path}, command[1:]...)
}

// searchedName lists the ralph-runs that have looked behind themselves already:
// where a link stands before a copy, or before another version, each would find
// the other, for ever.
const searchedName = "RALPH_RUN_SHIMS"

func searched(env []string) []string { return filepath.SplitList(supervisor.Getenv(env, searchedName)) }

// ownPath is this program's file, or "".
func ownPath() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// isSelf reports a path that leads to this program.
func isSelf(path string) bool { return sameFile(path, ownPath()) }

func sameFile(a, b string) bool {
	left, err := os.Stat(a)
	if err != nil {
		return false
	}
	right, err := os.Stat(b)
	return err == nil && os.SameFile(left, right)
}

// behind finds the program of that name on PATH that is no ralph-run.
func behind(client string, env []string) (string, error) {
	known := searched(env)
	for _, dir := range filepath.SplitList(supervisor.Getenv(env, "PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, client))
		if err != nil && !errors.Is(err, exec.ErrDot) {
			continue
		}
		if !isSelf(path) && !slices.ContainsFunc(known, func(shim string) bool { return sameFile(path, shim) }) {
			return path, nil
		}
	}
	return "", &supervisor.StartError{Command: client, Status: 127, Err: exec.ErrNotFound}
}

// depthName counts how many ralph-runs are around this one.
const depthName = "RALPH_RUN_DEPTH"

// mostDepth bounds the ralph-runs that run each other. A script called copilot
// that says "ralph-run -- copilot" finds itself on PATH, for ever.
const mostDepth = 16

// deeper counts this ralph-run for those that COMMAND may start.
func (p *program) deeper() error {
	depth, _ := strconv.Atoi(supervisor.Getenv(p.env, depthName))
	if depth >= mostDepth {
		return &usageError{
			text: fmt.Sprintf("%s: %d ralph-runs have started each other, none of them a client", printable(p.command[0]), mostDepth),
			hint: "a script of that name seems to call ralph-run; give the client there by its full path, or put a link to ralph-run in its place",
		}
	}
	p.env = supervisor.WithEnv(p.env, depthName, strconv.Itoa(depth+1))
	return nil
}
