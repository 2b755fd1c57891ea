//go:build copilot

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

var bothPaths = []copilot.Path{copilot.Service, copilot.Provider}

// limited is a world in which the preferred model behaves as told and the
// second one answers.
func limited(t *testing.T, path copilot.Path, first standin.Behaviour) *world {
	t.Helper()
	return newWorld(t, path, map[string]standin.Behaviour{
		preferred: first,
		second:    standin.Fine(answer),
		third:     standin.Fail(500, "the third model must not be asked"),
		fourth:    standin.Fail(500, "the fourth model must not be asked"),
	})
}

// bareAnswer is what the client alone prints to stdout when the second model
// answers.
func bareAnswer(t *testing.T, path copilot.Path, more ...string) string {
	t.Helper()
	w := limited(t, path, standin.Fine(""))
	r := w.run(append([]string{"copilot", "--model", second, "-p", "say ok", "--allow-all-tools"}, more...))
	if r.code != 0 || !strings.Contains(r.stdout, answer) {
		t.Fatalf("the client alone: status %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

var fallbackTests = []struct {
	name string
	path copilot.Path
	as   standin.Behaviour
}{
	{"model limit", copilot.Service, standin.Limit("user_model_rate_limited", 30*time.Minute)},
	{"session limit", copilot.Service, standin.Limit("user_global_rate_limited", 30*time.Minute)},
	{"no quota", copilot.Service, standin.NoQuota()},
	{"model limit", copilot.Provider, standin.Limit("user_model_rate_limited", 30*time.Minute)},
	{"quota as 429", copilot.Provider, standin.Limit("quota_exceeded", time.Hour)},
	{"no quota", copilot.Provider, standin.NoQuota()},
	{"generic 429", copilot.Responses, standin.Limit("", time.Hour)},
	{"generic 429", copilot.Anthropic, standin.Limit("", time.Hour)},
}

// TestFallback: the preferred model is limited, and the second one answers in
// the same run, as if nothing had happened.
func TestFallback(t *testing.T) {
	t.Parallel()
	for _, tt := range fallbackTests {
		t.Run(string(tt.path)+", "+tt.name, func(t *testing.T) {
			t.Parallel()
			w := limited(t, tt.path, tt.as)
			r := w.run(under(prompt()))
			if want := bareAnswer(t, tt.path); r.code != 0 || r.stdout != want {
				t.Errorf("status %d, stdout %q; want 0, %q\nstderr: %s", r.code, r.stdout, want, r.stderr)
			}
			w.fellBack(r)
		})
	}
}

// fellBack checks what one fallback leaves behind.
func (w *world) fellBack(r result) {
	w.t.Helper()
	if want := preferred + " is rate limited"; !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "retrying with "+second) {
		w.t.Errorf("stderr = %q, want %q and %q in it", r.stderr, want, "retrying with "+second)
	}
	if got, want := slices.Compact(w.asked()), []string{preferred, second}; !slices.Equal(got, want) {
		w.t.Errorf("asked %v, want %v:%s", got, want, w.requests())
	}
	w.isOpen()
	w.nothingLeft()
}

// isUntouched: nothing was held against the model.
func (w *world) isUntouched() {
	w.t.Helper()
	s := w.state()
	if s.State != "closed" || s.ConsecutiveFailures != 0 || s.Metrics.TotalFallbacks != 0 || s.OpenedAt != nil {
		w.t.Errorf("state = %+v, want closed, as on the first day", s)
	}
}

// TestPipedPrompt: a prompt on standard input is there again for the fallback.
func TestPipedPrompt(t *testing.T) {
	t.Parallel()
	for _, path := range bothPaths {
		t.Run(string(path), func(t *testing.T) {
			t.Parallel()
			w := limited(t, path, standin.Limit("user_model_rate_limited", 30*time.Minute))
			argv := under([]string{"copilot", "--model", preferred, "--allow-all-tools"})
			r := w.do(job{argv: argv, stdin: "say the word kingfisher\n"})
			if want := bareAnswer(t, path); r.code != 0 || r.stdout != want {
				t.Errorf("status %d, stdout %q; want 0, %q\nstderr: %s", r.code, r.stdout, want, r.stderr)
			}
			w.fellBack(r)
			for _, ask := range w.server.Requests() {
				if !strings.Contains(string(ask.Body), "say the word kingfisher") {
					t.Errorf("the prompt did not reach %s", ask.Model)
				}
			}
		})
	}
}

// TestSilent: with -s, stdout holds the answer alone.
func TestSilent(t *testing.T) {
	t.Parallel()
	for _, path := range bothPaths {
		t.Run(string(path), func(t *testing.T) {
			t.Parallel()
			w := limited(t, path, standin.Limit("user_model_rate_limited", 30*time.Minute))
			r := w.run(under(prompt("-s")))
			if want := bareAnswer(t, path, "-s"); r.code != 0 || r.stdout != want {
				t.Errorf("status %d, stdout %q; want 0, %q\nstderr: %s", r.code, r.stdout, want, r.stderr)
			}
			w.fellBack(r)
		})
	}
}

// TestJSON: stdout holds the events of both runs, whole, and the last one says
// that all went well.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, path := range bothPaths {
		t.Run(string(path), func(t *testing.T) {
			t.Parallel()
			w := limited(t, path, standin.Limit("user_model_rate_limited", 30*time.Minute))
			r := w.run(under(prompt("--output-format", "json")))
			if r.code != 0 {
				t.Errorf("status %d, want 0\nstderr: %s", r.code, r.stderr)
			}
			checkEvents(t, r.stdout)
			w.fellBack(r)
		})
	}
}
