//go:build copilot

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A terminal is a tmux session with one program in it: a person's screen.
type terminal struct {
	t      *testing.T
	socket string
}

// terminal starts a program of this world on a screen of its own.
func (w *world) terminal(argv []string) *terminal {
	w.t.Helper()
	if argv[0] == "copilot" {
		argv = append([]string{client.Path}, argv[1:]...)
	}
	tm := &terminal{w.t, filepath.Join(w.home, "tmux")}
	args := append([]string{"new-session", "-d", "-x", "120", "-y", "40", "-c", w.dir, "--", "env", "-i"}, w.env...)
	tm.tmux(append(args, argv...)...)
	w.t.Cleanup(func() { exec.Command("tmux", "-S", tm.socket, "kill-server").Run() })
	return tm
}

func (tm *terminal) tmux(args ...string) string {
	tm.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", tm.socket}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func (tm *terminal) screen() string { return tm.tmux("capture-pane", "-p") }

// shows waits until the screen shows a text, wherever the lines are broken.
func (tm *terminal) shows(text string) {
	tm.t.Helper()
	words := strings.Fields(text)
	ok := eventually(30*time.Second, func() bool {
		return strings.Contains(strings.Join(strings.Fields(tm.screen()), " "), strings.Join(words, " "))
	})
	if !ok {
		tm.t.Fatalf("the screen does not show %q:\n%s", text, tm.screen())
	}
}

// types sends keys by tmux's names for them.
func (tm *terminal) types(keys ...string) {
	tm.t.Helper()
	tm.tmux(append([]string{"send-keys"}, keys...)...)
}
