package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// keptAside names the corrupt states that runs have put aside.
func (e *examination) keptAside(state string) {
	list, err := os.ReadDir(filepath.Dir(state))
	if err != nil {
		return // not written yet, or the folder has its own finding
	}
	for _, f := range list {
		if strings.HasPrefix(f.Name(), filepath.Base(state)+".corrupt-") {
			e.note("state", "copy settings that you miss from it by hand, then remove it", "%s was found corrupt and is kept", filepath.Join(filepath.Dir(state), f.Name()))
		}
	}
}

// committed asks git whether an agent that commits everything would commit the
// state, and a checkout take it back to what it was.
func (e *examination) committed(ctx context.Context, state string) {
	_, err := ask(ctx, "git", "-C", existing(filepath.Dir(state)), "check-ignore", "-q", absolute(state))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // 128: no repository
		e.note("git", "add "+filepath.Base(state)+"* and "+recordsName+"* to .gitignore", "git does not ignore %s", state)
	}
}

// absolute is a path as another folder sees it.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
