//go:build unix

package supervisor_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/supervisor"
)

// A site is a folder with a fake Copilot, a state file and a home, for runs of
// the real loop on the real stage with the real breaker and detector.
type site struct {
	t     *testing.T
	dir   string
	cfg   supervisor.Config
	store *breaker.FileStore

	mu     sync.Mutex
	said   []string
	stdout string
	stderr string
}

// newSite plans what the fake does for each model, such as "hang" or "answer".
func newSite(t *testing.T, plan map[string]string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	client := filepath.Join(s.dir, "copilot")
	if err := os.Symlink(self, client); err != nil {
		t.Fatal(err)
	}
	s.store = breaker.NewFileStore(filepath.Join(s.dir, ".squad", "state.json"))
	env := []string{"HOME=" + s.dir, "FAKE_DIR=" + s.dir, "PATH=" + os.Getenv("PATH")}
	for model, act := range plan {
		env = append(env, fakeVariable(model)+"="+act)
	}
	s.cfg = supervisor.Config{
		Command:     []string{client, "--model", "claude-sonnet-4.6", "-p", "do it", "--allow-all-tools"},
		Env:         env,
		Circuit:     breaker.NewCircuit(s.store, breaker.Options{}),
		OnExhausted: supervisor.ExhaustedFail,
		Grace:       time.Minute, Patience: time.Minute, Resume: true,
		Logger: zap.NewNop(),
		Say: func(line string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.said = append(s.said, line)
		},
	}
	return s
}

// run runs the command with pipes for its outputs and nothing for its input.
func (s *site) run() supervisor.Result {
	s.t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		s.t.Fatal(err)
	}
	defer null.Close()
	s.cfg.Stdin = null
	var readers sync.WaitGroup
	collect := func(to *string) *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			s.t.Fatal(err)
		}
		readers.Go(func() {
			defer r.Close()
			b, _ := io.ReadAll(r)
			*to = string(b)
		})
		return w
	}
	s.cfg.Stdout, s.cfg.Stderr = collect(&s.stdout), collect(&s.stderr)
	result, err := supervisor.Run(context.Background(), s.cfg)
	s.cfg.Stdout.Close()
	s.cfg.Stderr.Close()
	readers.Wait()
	if err != nil {
		s.t.Fatalf("Run: %v\nstdout: %s\nstderr: %s", err, s.stdout, s.stderr)
	}
	return result
}

// ran returns how often each model was run, and with which session, in order.
func (s *site) ran() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "ran"))
	return strings.Join(strings.Fields(string(b)), " ")
}

func (s *site) document() *breaker.Document {
	s.t.Helper()
	d, _, err := s.store.View(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// expect compares the end of a run.
func (s *site) expect(got supervisor.Result, code int, ran string, state breaker.State) {
	s.t.Helper()
	if got.Exit != (supervisor.Exit{Code: code}) {
		s.t.Errorf("exit %+v, want %d", got.Exit, code)
	}
	if s.ran() != ran {
		s.t.Errorf("ran %q, want %q", s.ran(), ran)
	}
	if d := s.document(); d.State != state {
		s.t.Errorf("state %q, want %q", d.State, state)
	}
	if s.t.Failed() {
		s.t.Logf("said: %q\nstdout: %s\nstderr: %s\nattempts: %+v", s.said, s.stdout, s.stderr, got.Attempts)
	}
}

// TestRunHungClient has the client print a limit and hang for ever: the grace
// ends it, its status 0 means nothing, the fallback answers.
func TestRunHungClient(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "hang", "gpt-5.4-mini": "answer"})
	s.cfg.Grace = 600 * time.Millisecond
	got := s.run()
	s.expect(got, 0, "claude-sonnet-4.6 gpt-5.4-mini", breaker.Open)
	if want := "the answer of gpt-5.4-mini\n"; s.stdout != want {
		t.Errorf("stdout %q, want %q", s.stdout, want)
	}
	if !strings.Contains(s.stderr, "rate limit for this model") || !strings.Contains(s.stderr, "Exiting") {
		t.Errorf("stderr %q, want the client's own lines", s.stderr)
	}
	want := regexp.MustCompile(`^claude-sonnet-4.6 is rate limited \(429, resets in (30|2\d)m\); retrying with gpt-5.4-mini$`)
	if len(s.said) != 1 || !want.MatchString(s.said[0]) {
		t.Errorf("said %q, want %q", s.said, want)
	}
	if r := got.Attempts[0]; r.EndedBy != "grace" || r.Exit != (supervisor.Exit{}) {
		t.Errorf("record %+v, want the status of the client and the grace", r)
	}
}

// TestRunHungClientWithLog is the same with a grace of a minute: the client's
// log says the same as its notice, so that the grace is not waited for.
func TestRunHungClientWithLog(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "log=1800000 hang", "gpt-5.4-mini": "answer"})
	s.cfg.Patience = 0
	got := s.run()
	s.expect(got, 0, "claude-sonnet-4.6 gpt-5.4-mini", breaker.Open)
	if r := got.Attempts[0]; r.EndedBy != "grace" || r.Duration >= time.Minute {
		t.Errorf("ended by %q after %v, want the grace, at once", r.EndedBy, r.Duration)
	}
}

// TestRunSilentClient has the client sit in its own retries without a word: only
// its log tells.
func TestRunSilentClient(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "log=60000 sit", "gpt-5.4-mini": "answer"})
	s.cfg.Patience = 5 * time.Second
	got := s.run()
	s.expect(got, 0, "claude-sonnet-4.6 gpt-5.4-mini", breaker.Open)
	if r := got.Attempts[0]; r.EndedBy != "patience" || r.Saved <= 0 || r.Saved > time.Minute {
		t.Errorf("ended by %q, saved %v, want the patience and most of a minute", r.EndedBy, r.Saved)
	}
}

// TestRunRecovered has the client survive one short limit.
func TestRunRecovered(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "log=300 answer"})
	s.expect(s.run(), 0, "claude-sonnet-4.6", breaker.Closed)
}

// TestRunResumes has the client run a tool, then hang on a limit: the fallback
// goes on in its session and the tool is not run twice.
func TestRunResumes(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "tool log=1800000 hang", "gpt-5.4-mini": "tool answer"})
	got := s.run()
	s.expect(got, 0, "claude-sonnet-4.6 gpt-5.4-mini:"+fakeSession, breaker.Open)
	if b, err := os.ReadFile(filepath.Join(s.dir, "tool")); string(b) != "x" {
		t.Errorf("the tool left %q (%v), want one run", b, err)
	}
}

// TestRunAllHang has every model hang: the status is not the clients' 0.
func TestRunAllHang(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"claude-sonnet-4.6": "log=1800000 hang", "gpt-5.4-mini": "log=1800000 hang",
		"gpt-5-mini": "log=1800000 hang", "gpt-4.1": "log=1800000 hang",
	})
	got := s.run()
	s.expect(got, supervisor.TempFail, "claude-sonnet-4.6 gpt-5.4-mini gpt-5-mini gpt-4.1", breaker.Open)
	if !got.Limited || got.Exhausted {
		t.Errorf("result %+v, want limited", got)
	}
	again := s.run()
	if !again.Exhausted || len(again.Attempts) > 0 || again.Until.IsZero() {
		t.Errorf("the next run: %+v, want nothing started and a time", again)
	}
}

// TestRunAllFail has every model end by itself: the last one's status and error
// are the user's.
func TestRunAllFail(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"claude-sonnet-4.6": "exit", "gpt-5.4-mini": "exit", "gpt-5-mini": "exit", "gpt-4.1": "exit",
	})
	got := s.run()
	s.expect(got, 1, "claude-sonnet-4.6 gpt-5.4-mini gpt-5-mini gpt-4.1", breaker.Open)
	if n := strings.Count(s.stderr, "429 Sorry"); n != 4 {
		t.Errorf("%d errors shown, want 4: %s", n, s.stderr)
	}
}

// TestRunProbe closes an open circuit by two successes of the preferred model.
func TestRunProbe(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"claude-sonnet-4.6": "answer"})
	past := time.Now().Add(-24 * time.Hour).UTC()
	if err := os.MkdirAll(filepath.Join(s.dir, ".squad"), 0o755); err != nil {
		t.Fatal(err)
	}
	open := fmt.Sprintf(`{"state":"open","preferredModel":"claude-sonnet-4.6","fallbackChain":["gpt-5.4-mini"],"cooldownMinutes":10,"openedAt":%q}`, past.Format(time.RFC3339))
	if err := os.WriteFile(filepath.Join(s.dir, ".squad", "state.json"), []byte(open), 0o644); err != nil {
		t.Fatal(err)
	}
	first := s.run()
	s.expect(first, 0, "claude-sonnet-4.6", breaker.HalfOpen)
	if role := first.Attempts[0].Attempt.Role; role != breaker.Probe {
		t.Errorf("role %q, want a probe", role)
	}
	s.expect(s.run(), 0, "claude-sonnet-4.6 claude-sonnet-4.6", breaker.Closed)
}
