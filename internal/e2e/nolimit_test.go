//go:build copilot

package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

const talk = "HTTP 429 Too Many Requests means that you've hit a rate limit.\n" +
	"Error: rate limit exceeded is what a client prints then; the quota resets later."

var noLimitTests = []struct {
	name string
	path copilot.Path
	as   standin.Behaviour
	code int
}{
	{"talk", copilot.Service, standin.Fine(talk), 0},
	{"talk", copilot.Provider, standin.Fine(talk), 0},
	{"500", copilot.Service, standin.Fail(500, "Internal server error"), 1},
	{"500", copilot.Provider, standin.Fail(500, "Internal server error"), 1},
	{"cut", copilot.Service, standin.Cut(), 1},
	{"cut", copilot.Provider, standin.Cut(), 1},
	{"unauthorized", copilot.Service, standin.Fail(403, "Forbidden"), 1},
	{"recovers", copilot.Service, standin.After(1, standin.Limit("rate_limited", 2*time.Second), standin.Fine(answer)), 0},
	{"recovers", copilot.Provider, standin.After(1, standin.Limit("", 2*time.Second), standin.Fine(answer)), 0},
}

// TestNoLimit: what is no limit, or was one that the client got over by itself,
// comes out as without the prefix, and the breaker doesn't stir.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range noLimitTests {
		t.Run(string(tt.path)+", "+tt.name, func(t *testing.T) {
			t.Parallel()
			alone, w := limited(t, tt.path, tt.as), limited(t, tt.path, tt.as)
			bare := make(chan result, 1)
			go func() { bare <- alone.run(prompt()) }()
			got := w.run(under(prompt()))
			want := <-bare
			if want.code != tt.code {
				t.Fatalf("the client alone: status %d, want %d\nstderr: %s", want.code, tt.code, want.stderr)
			}
			if got.code != want.code || got.stdout != want.stdout {
				t.Errorf("status %d, stdout %q; want %d, %q", got.code, got.stdout, want.code, want.stdout)
			}
			if g, w := steady(got.stderr), steady(want.stderr); g != w {
				t.Errorf("stderr %q, want %q", g, w)
			}
			if !slices.Equal(w.asked(), alone.asked()) {
				t.Errorf("asked:%s\nthe client alone:%s", w.requests(), alone.requests())
			}
			w.isUntouched()
			w.nothingLeft()
		})
	}
}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d+(\.\d+)?( seconds|s\b)|:\d{4,5}\b`)

// steady is stderr without what changes from run to run: the session's id,
// durations and the stand-in's port.
func steady(stderr string) string { return changing.ReplaceAllString(stderr, "…") }

var openedAt = regexp.MustCompile(`"openedAt": "[^"]+"`)

// TestRecovery: once the cooldown is over, two successes close the circuit. No
// time is stated with a missing quota, so the cooldown alone counts.
func TestRecovery(t *testing.T) {
	t.Parallel()
	for _, path := range bothPaths {
		t.Run(string(path), func(t *testing.T) {
			t.Parallel()
			w := limited(t, path, standin.After(1, standin.NoQuota(), standin.Fine("The preferred model is back.")))
			w.run(under(prompt()))
			w.isOpen()
			if r := w.run(under(prompt())); !strings.Contains(r.stdout, answer) {
				t.Errorf("in the cooldown: stdout %q, want the fallback's answer", r.stdout)
			}
			w.edit(openedAt, `"openedAt": "`+time.Now().Add(-12*time.Minute).UTC().Format(time.RFC3339)+`"`)
			for successes := 1; successes <= 2; successes++ {
				r := w.run(under(prompt()))
				if r.code != 0 || !strings.Contains(r.stdout, "is back") {
					t.Errorf("probe %d: status %d, stdout %q, stderr %q", successes, r.code, r.stdout, r.stderr)
				}
				if s := w.state(); successes == 1 && (s.State != "half-open" || s.HalfOpenSuccesses != 1) {
					t.Errorf("after one success: %+v, want half-open", s)
				}
			}
			s := w.state()
			if s.State != "closed" || s.OpenedAt != nil || s.Metrics.TotalRecoveries != 1 || s.CurrentFallbackIndex != 0 {
				t.Errorf("after two successes: %+v, want closed, one recovery", s)
			}
			if got, want := w.asked(), []string{preferred, second, second, preferred, preferred}; !slices.Equal(got, want) {
				t.Errorf("asked %v, want %v", got, want)
			}
		})
	}
}

// edit changes the state file as a person with an editor does.
func (w *world) edit(old *regexp.Regexp, to string) {
	w.t.Helper()
	b, err := os.ReadFile(w.statePath())
	if err != nil {
		w.t.Fatal(err)
	}
	if !old.Match(b) {
		w.t.Fatalf("the state holds no %s:\n%s", old, b)
	}
	if err := os.WriteFile(w.statePath(), old.ReplaceAll(b, []byte(to)), 0o644); err != nil {
		w.t.Fatal(err)
	}
}
