//go:build squad

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// patient is how long anything may take on a busy machine.
const patient = 2 * time.Minute

// hostPath finds what `make fetch-squad` has put into the cache folder: squad's
// launcher, and a folder with a Node.js new enough for it if the system has
// none.
func hostPath(t *testing.T) (squad, node string) {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("..", "..", ".cache", "squad", "node_modules", ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	squad = filepath.Join(bin, "squad")
	if _, err := os.Stat(squad); err != nil {
		t.Fatalf("NOT TESTED: squad is not in .cache: run make fetch-squad (%v)", err)
	}
	if node, err = exec.LookPath(filepath.Join(bin, "node")); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			t.Fatalf("NOT TESTED: %v", err)
		}
	}
	return squad, node
}

// gh stands in for GitHub's own CLI: the user is logged in, far from the API's
// limit, and has one open issue for the squad. What it is asked is kept beside
// it.
const gh = `#!/bin/sh
echo "$*" >>"$0.log"
case "$1 $2" in
"--version "*) echo "gh version 2.60.0" ;;
"auth status") echo "Logged in to github.com account standin" ;;
"api rate_limit") echo '{"remaining":4900,"limit":5000,"reset":4102444800}' ;;
"issue list") echo '[{"number":7,"title":"Fix the door","state":"OPEN","labels":[{"name":"squad"}],"assignees":[],"url":"https://github.com/o/r/issues/7"}]' ;;
"pr list") echo '[]' ;;
esac
`

const team = `# Team

## Members

| Name | Role |
| --- | --- |
| Kim | Developer |
`

// newHost is a world in which squad can work: a repository with a team, and gh.
func newHost(t *testing.T, models map[string]standin.Behaviour) *world {
	t.Helper()
	w := newWorld(t, copilot.Service, models)
	w.write(".squad/team.md", team)
	bin := filepath.Join(w.home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, e := range w.env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			w.env[i] = "PATH=" + bin + string(os.PathListSeparator) + path
		}
	}
	w.git("init", "-q")
	w.git("remote", "add", "origin", "https://github.com/o/r.git")
	return w
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// write writes a file of the project.
func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// agent is what a user gives squad as --agent-cmd.
func agent() string { return program + " -- copilot --model " + preferred + " --yolo" }

// A host is a running squad.
type host struct {
	w   *world
	cmd *exec.Cmd
	out lockedBuffer // both streams, as a terminal would show them
}

// squad starts squad with the agent's command line, as a session of its own.
func (w *world) squad(args ...string) *host {
	w.t.Helper()
	squad, node := hostPath(w.t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute+3*patient)
	w.t.Cleanup(cancel)
	h := &host{w: w, cmd: command(ctx, node, append(append([]string{squad}, args...), "--agent-cmd", agent())...)}
	h.cmd.Dir, h.cmd.Env = w.dir, w.env
	h.cmd.Stdout, h.cmd.Stderr = &h.out, &h.out
	if err := h.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return h
}

// watch starts squad watch, which runs the agent on the open issues at once and
// then every minute.
func (w *world) watch() *host {
	w.t.Helper()
	return w.squad("watch", "--execute", "--interval", "1")
}

// round waits for the end of squad watch's nth round.
func (h *host) round(n int) {
	h.w.t.Helper()
	ok := eventually(time.Minute+patient, func() bool {
		return strings.Count(h.out.String(), "Next poll at") >= n && h.saved(n)
	})
	if !ok {
		h.w.t.Fatalf("round %d did not end:\n%s\nrequests: %s", n, h.out.String(), h.w.requests())
	}
}

// saved reports that squad watch has written its state file after the nth
// round, the last thing it does there.
func (h *host) saved(n int) bool {
	data, err := os.ReadFile(h.w.statePath())
	return err == nil && bytes.Contains(data, []byte(`"lastRateLimitRemaining"`)) && h.lastRequest().Before(modified(h.w.statePath()))
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (h *host) lastRequest() time.Time {
	all := h.w.server.Requests()
	if len(all) == 0 {
		return time.Time{}
	}
	return all[len(all)-1].Time
}

// signal ends squad by a signal, and returns its status.
func (h *host) signal(sig syscall.Signal) int {
	h.w.t.Helper()
	if err := h.cmd.Process.Signal(sig); err != nil {
		h.w.t.Fatalf("%v: %v\n%s", sig, err, h.out.String())
	}
	h.cmd.Wait()
	return h.cmd.ProcessState.ExitCode()
}

func (h *host) String() string {
	return fmt.Sprintf("squad printed:\n%s\nrequests: %s", h.out.String(), h.w.requests())
}
