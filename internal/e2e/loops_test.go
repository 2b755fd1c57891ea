//go:build copilot

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// bashLoop is the loop that the README gives, with a pause that ends it after
// the third round.
const bashLoop = `
sleep() { rounds=$((rounds + 1)); [ $rounds -lt 3 ] || exit 0; }

while :; do ralph-run -- copilot -p "$(cat PROMPT.md)" --allow-all-tools; sleep 60; done
`

// TestBashLoop: the first round meets the limit and succeeds, the others begin
// with the fallback.
func TestBashLoop(t *testing.T) {
	t.Parallel()
	w := limited(t, copilot.Service, standin.Limit("user_model_rate_limited", 30*time.Minute))
	w.onPath(filepath.Dir(program))
	if err := os.WriteFile(filepath.Join(w.dir, "PROMPT.md"), []byte("# Task\n\nSay \"ok\" -- $HOME\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := w.run([]string{"bash", "-c", bashLoop})
	if got := strings.Count(r.stdout, answer); r.code != 0 || got != 3 {
		t.Errorf("status %d, %d answers; want 0, 3\nstdout: %s\nstderr: %s", r.code, got, r.stdout, r.stderr)
	}
	if got, want := w.asked(), []string{preferred, second, second, second}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v:%s", got, want, w.requests())
	}
	if body := string(w.server.Requests()[3].Body); !strings.Contains(body, `# Task\n\nSay \"ok\" -- $HOME`) {
		t.Errorf("the prompt did not arrive as it was:\n%s", body)
	}
	w.isOpen()
	w.nothingLeft()
}

// onPath puts a folder in front of this world's PATH.
func (w *world) onPath(dir string) {
	for i, e := range w.env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			w.env[i] = "PATH=" + dir + string(os.PathListSeparator) + path
		}
	}
}

// TestCIStep: no terminal, nothing on standard input, and the state comes from
// the job before, in a fresh clone.
func TestCIStep(t *testing.T) {
	t.Parallel()
	first := limited(t, copilot.Service, standin.Limit("user_model_rate_limited", 30*time.Minute))
	if r := first.run(under(prompt())); r.code != 0 {
		t.Fatalf("the first job: status %d\nstderr: %s", r.code, r.stderr)
	}
	state, err := os.ReadFile(first.statePath())
	if err != nil {
		t.Fatal(err)
	}
	next := limited(t, copilot.Service, standin.Fail(500, "the preferred model must not be asked"))
	if err := os.WriteFile(next.statePath(), state, 0o644); err != nil {
		t.Fatal(err)
	}
	r := next.run(under(prompt()))
	if r.code != 0 || !strings.Contains(r.stdout, answer) || strings.Contains(r.stderr, "ralph-run:") {
		t.Errorf("the next job: status %d, stdout %q; want 0, the answer\nstderr: %s", r.code, r.stdout, r.stderr)
	}
	if got := next.asked(); !slices.Equal(got, []string{second}) {
		t.Errorf("the next job asked %v, want only %s", got, second)
	}
}

// TestCICancelled: a job is cancelled while a tool runs. It gets SIGINT, and
// SIGTERM if it is still there some seconds later; nothing of it stays.
func TestCICancelled(t *testing.T) {
	t.Parallel()
	const tool = "sleep 4321"
	w := newWorld(t, copilot.Service, map[string]standin.Behaviour{preferred: standin.Tool(tool, standin.Fine(answer))})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := w.command(ctx, under(prompt()))
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !eventually(2*time.Minute, func() bool { return len(w.processes(tool)) > 0 }) {
		t.Fatalf("the tool did not run; output: %s", out.String())
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	for _, sig := range signals {
		cmd.Process.Signal(sig)
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("a cancelled job succeeded; output: %s", out.String())
			}
			w.nothingLeft()
			w.isUntouched()
			return
		case <-time.After(7500 * time.Millisecond): // as GitHub Actions does
		}
	}
	t.Errorf("still there after %v; output: %s", signals, out.String())
}
