//go:build squad

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/standin"
)

// limitedHost is a host on which the preferred model is limited and the second
// one answers.
func limitedHost(t *testing.T) *world {
	t.Helper()
	return newHost(t, map[string]standin.Behaviour{
		preferred: standin.Limit("user_model_rate_limited", 30*time.Minute),
		second:    standin.Fine(answer),
		third:     standin.Fail(500, "the third model must not be asked"),
		fourth:    standin.Fail(500, "the fourth model must not be asked"),
	})
}

// asks checks which models were asked, in order.
func (h *host) asks(want ...string) {
	h.w.t.Helper()
	if got := h.w.asked(); !slices.Equal(got, want) {
		h.w.t.Errorf("asked %v, want %v; %v", got, want, h)
	}
}

// succeeded: squad says nothing of a failed agent, as it does of every status
// but 0.
func (h *host) succeeded() {
	h.w.t.Helper()
	if out := h.out.String(); strings.Contains(out, "agent failed") || strings.Contains(out, "execute error") {
		h.w.t.Errorf("the agent failed; %v", h)
	}
}

// TestSquadWatch: squad watch runs the agent for two rounds. The first meets the
// limit and succeeds all the same; the second begins with the fallback, although
// squad watch has written a file of its own over the circuit in between.
func TestSquadWatch(t *testing.T) {
	t.Parallel()
	w := limitedHost(t)
	h := w.watch()
	h.round(1)
	h.asks(preferred, second)
	h.succeeded()
	h.round(2)
	h.asks(preferred, second, second)
	h.succeeded()
	if got := h.signal(syscall.SIGTERM); got != 143 {
		t.Errorf("squad ended with %d, want 143", got)
	}
	w.nothingLeft()
	w.squadsOwn()
	w.isOpenBeside()
}

// TestSquadWatchTakesOver: the circuit was there before squad watch, which keeps
// what it read at its start and writes that back after every round: the file says
// closed again after the limit. Ours goes on where it was.
func TestSquadWatchTakesOver(t *testing.T) {
	t.Parallel()
	w := limitedHost(t)
	w.write(filepath.Join(".squad", "ralph-circuit-breaker.json"), `{
  "state": "closed",
  "preferredModel": "`+preferred+`",
  "fallbackChain": ["`+second+`"],
  "cooldownMinutes": 7
}
`)
	for range 2 {
		h := w.watch()
		h.round(1)
		h.succeeded()
		h.signal(syscall.SIGTERM)
		w.squadsOwn()
	}
	if got, want := w.asked(), []string{preferred, second, second}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v:%s", got, want, w.requests())
	}
	s := w.isOpenBeside()
	if s.CooldownMinutes != 7 || !slices.Equal(s.FallbackChain, []string{second}) {
		t.Errorf("state = %+v, want the chain and the cooldown of the file that was there", s)
	}
	w.nothingLeft()
}

// squadsOwn: the file at the state's path is squad watch's, as it wrote it.
func (w *world) squadsOwn() {
	w.t.Helper()
	data, err := os.ReadFile(w.statePath())
	if err != nil {
		w.t.Fatal(err)
	}
	if want := `"lastRateLimitRemaining": 4900`; !strings.Contains(string(data), want) || strings.Contains(string(data), `"open"`) {
		w.t.Errorf("%s is not as squad watch wrote it:\n%s", w.statePath(), data)
	}
}

// isOpenBeside: the circuit is in a file of its own, open since one fallback.
func (w *world) isOpenBeside() state {
	w.t.Helper()
	s := w.stateIn(filepath.Join(w.dir, ".squad", "ralph-circuit-breaker.run.json"))
	if s.State != "open" || s.Metrics.TotalFallbacks != 1 || s.OpenedAt == nil {
		w.t.Errorf("state = %+v, want open, one fallback", s)
	}
	return s
}

// TestSquadTimeout: squad watch's time for a round is over while the client
// waits for a tool, and squad signals the one process it knows. Nothing is left
// of what that started.
func TestSquadTimeout(t *testing.T) {
	t.Parallel()
	w := working(t)
	w.write(filepath.Join(".squad", "config.json"), `{"watch": {"timeout": 0.8}}`)
	h := w.watch()
	h.works()
	h.round(1)
	if !strings.Contains(h.out.String(), "agent failed: Timed out") {
		t.Errorf("squad did not say that the round timed out; %v", h)
	}
	h.signal(syscall.SIGTERM)
	w.nothingLeft()
	w.unlimited()
}

// TestSquadEnds: squad watch is ended in the middle of a round and kills the one
// process it knows, ralph-run, by a signal that cannot be passed on. Nothing is
// left of what that started, once the client has had its time to end.
func TestSquadEnds(t *testing.T) {
	t.Parallel()
	w := working(t)
	h := w.watch()
	h.works()
	h.signal(syscall.SIGTERM)
	w.nothingLeftAfter(30 * time.Second)
	w.unlimited()
}

// work is a tool's command that takes longer than any of these tests.
const work = "sleep 1234"

// working is a host on which the model runs a tool that doesn't end.
func working(t *testing.T) *world {
	t.Helper()
	return newHost(t, map[string]standin.Behaviour{preferred: standin.Tool(work, standin.Fine(answer))})
}

// works waits until the tool runs.
func (h *host) works() {
	h.w.t.Helper()
	if !eventually(patient, func() bool { return len(h.w.processes(work)) > 0 }) {
		h.w.t.Fatalf("the tool did not run; %v", h)
	}
}

// unlimited: no run was held against the model.
func (w *world) unlimited() {
	w.t.Helper()
	for _, name := range []string{"ralph-circuit-breaker.json", "ralph-circuit-breaker.run.json"} {
		path := filepath.Join(w.dir, ".squad", name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if s := w.stateIn(path); s.State == "open" || s.Metrics.TotalFallbacks != 0 {
			w.t.Errorf("%s = %+v, want no fallback", name, s)
		}
	}
}

// TestSquadLoop: squad loop, which needs no gh, shows what its agent prints.
func TestSquadLoop(t *testing.T) {
	t.Parallel()
	w := limitedHost(t)
	w.write("loop.md", "---\nconfigured: true\ninterval: 1\n---\nSay ok.\nThen stop.\n")
	h := w.squad("loop")
	if !h.out.waitFor("Round 1 complete", patient) {
		t.Fatalf("round 1 did not succeed; %v", h)
	}
	for _, want := range []string{preferred + " is rate limited", "retrying with " + second, answer} {
		if !h.out.waitFor(want, 0) {
			t.Errorf("squad did not show %q; %v", want, h)
		}
	}
	h.asks(preferred, second)
	h.signal(syscall.SIGTERM)
	w.isOpen()
	w.nothingLeft()
}
