//go:build copilot

package e2e

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// TestBareClientHangs shows what the client does by itself, which is the reason
// for everything else: after a limit on the service path it never ends, and once
// it is asked to, it says that all is well.
func TestBareClientHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, copilot.Service, map[string]standin.Behaviour{
		preferred: standin.Limit("user_model_rate_limited", 30*time.Minute),
		second:    standin.Fine(answer),
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := w.command(ctx, prompt())
	var errs lockedBuffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !errs.waitFor("You've hit the rate limit for this model.", 30*time.Second) {
		t.Fatalf("no notice; stderr: %s", errs.String())
	}
	const watched = 15 * time.Second // longer than every bound of these tests
	time.Sleep(watched)
	if len(w.processes(preferred)) == 0 {
		t.Fatalf("the client ended by itself: it no longer needs us; stderr: %s", errs.String())
	}
	if got := len(w.server.Requests()); got != 1 {
		t.Errorf("%d requests in %v, want 1:%s", got, watched, w.requests())
	}
	for pid, line := range w.processes(preferred) {
		if !strings.HasPrefix(line, "node ") { // the client itself, not its launcher
			syscall.Kill(pid, syscall.SIGTERM)
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(errs.String(), "Exiting") {
		t.Errorf("after TERM: %v, stderr %q; want status 0 and Exiting", err, errs.String())
	}
}
