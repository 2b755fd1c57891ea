//go:build copilot

package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// refused is offered by the service and in the default chain, but the client
// doesn't take it on the service path: its last fallback is none.
const refused = fourth

// spare takes refused's place in a chain of the user's own.
const spare = "gpt-5.1"

var (
	defaultChain = []string{preferred, second, third, fourth}
	ownChain     = []string{preferred, second, third, spare}
)

// leftAlone lets a client end by itself, however slowly the machine runs it.
var leftAlone = []string{"--patience", "0s", "--grace", "0s"}

var allLimitedTests = []struct {
	name  string
	path  copilot.Path
	as    standin.Behaviour
	chain []string
	flags []string
	code  int
	last  string // the last run's error
}{
	{"the client ends", copilot.Provider, standin.Limit("user_model_rate_limited", 30*time.Minute), defaultChain, leftAlone, 1, "429 Sorry, you've hit a rate limit"},
	{"the client ends", copilot.Service, standin.Limit("user_global_rate_limited", 30*time.Minute), ownChain, leftAlone, 1, "You've hit your session rate limit."},
	{"the client hangs", copilot.Service, standin.Limit("user_model_rate_limited", 30*time.Minute), ownChain, nil, 75, "You've hit the rate limit for this model."},
}

// TestAllLimited: each model is tried once, and the last error is the one shown.
func TestAllLimited(t *testing.T) {
	t.Parallel()
	for _, tt := range allLimitedTests {
		t.Run(string(tt.path)+", "+tt.name, func(t *testing.T) {
			t.Parallel()
			models := map[string]standin.Behaviour{}
			for _, m := range tt.chain {
				models[m] = tt.as
			}
			w := newWorld(t, tt.path, models)
			w.seed(tt.chain)
			r := w.run(under(prompt(), tt.flags...))
			if r.code != tt.code {
				t.Errorf("status %d, want %d\nstderr: %s", r.code, tt.code, r.stderr)
			}
			if !slices.Equal(w.asked(), tt.chain) {
				t.Errorf("asked %v, want %v", w.asked(), tt.chain)
			}
			_, after, _ := strings.Cut(r.stderr, "retrying with "+tt.chain[3])
			if !strings.Contains(after, tt.last) {
				t.Errorf("stderr of the last run = %q, want %q in it", after, tt.last)
			}
			if s := w.state(); s.State != "open" || s.CurrentFallbackIndex != 2 || s.Metrics.TotalFallbacks != 1 {
				t.Errorf("state = %+v, want open, index 2, one fallback", s)
			}
			w.nothingLeft()
		})
	}
}

// TestRefusedModel: the last fallback is a name that the client doesn't take.
// That is no limit; its own message and status stand.
func TestRefusedModel(t *testing.T) {
	t.Parallel()
	limit := standin.Limit("user_model_rate_limited", 30*time.Minute)
	w := newWorld(t, copilot.Service, map[string]standin.Behaviour{
		preferred: limit, second: limit, third: limit, refused: standin.Fine(answer),
	})
	r := w.run(under(prompt()))
	if want := `Model "` + refused + `" from --model flag is not available.`; r.code != 1 || !strings.Contains(r.stderr, want) {
		t.Errorf("status %d, stderr %q; want 1, %q", r.code, r.stderr, want)
	}
	if got, want := w.asked(), []string{preferred, second, third}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	if s := w.state(); s.State != "open" || s.Metrics.TotalFallbacks != 1 {
		t.Errorf("state = %+v, want open, one fallback", s)
	}
	w.nothingLeft()
}

// seed writes a state as a person does who wants a chain of their own.
func (w *world) seed(chain []string) {
	w.t.Helper()
	text := `{
  "preferredModel": "` + chain[0] + `",
  "fallbackChain": ["` + strings.Join(chain[1:], `", "`) + `"]
}
`
	if err := os.WriteFile(w.statePath(), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}
