package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
		return err
	}
	app := newApp(p)
	if err := checkToggles(app.Flags); err != nil {
		return err
	}
	p.command = append([]string{path}, args...)
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

// isSelf reports a path that leads to this program.
func isSelf(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	own, err := os.Stat(self)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, own)
}

// behind finds the program of that name on PATH that is not ralph-run.
func behind(client string, env []string) (string, error) {
	for _, dir := range filepath.SplitList(lookupEnv(env, "PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, client))
		if err != nil && !errors.Is(err, exec.ErrDot) {
			continue
		}
		if !isSelf(path) {
			return path, nil
		}
	}
	return "", &supervisor.StartError{Command: client, Status: 127, Err: errors.New("only ralph-run's link to it is on PATH")}
}

// lookupEnv is the last value of a variable, as the system takes it.
func lookupEnv(env []string, name string) string {
	value := ""
	for _, v := range env {
		if s, ok := strings.CutPrefix(v, name+"="); ok {
			value = s
		}
	}
	return value
}
