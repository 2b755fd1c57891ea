//go:build copilot || squad

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// The default chain, as a new state has it.
const (
	preferred = "claude-sonnet-4.6"
	second    = "gpt-5.4-mini"
	third     = "gpt-5-mini"
	fourth    = "gpt-4.1"
)

const answer = "The fallback says hello."

// A world is one user: a project's folder, a home, a stand-in, and everything
// that is started there.
type world struct {
	t      *testing.T
	dir    string // the project
	home   string
	server *standin.Server
	env    []string
	mark   string // in the environment of every process of this world
}

var worlds atomic.Int64

func newWorld(t *testing.T, path copilot.Path, models map[string]standin.Behaviour) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), home: t.TempDir()}
	w.mark = fmt.Sprintf("RALPH_RUN_E2E=%d-%d", os.Getpid(), worlds.Add(1))
	var err error
	if w.server, err = standin.Start(models); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.server.Close() })
	if err := client.MakeHome(w.home); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.dir, ".squad"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = append(client.Env(path, w.server.URL, w.home), w.mark)
	t.Cleanup(w.killAll)
	return w
}

// A result is how a run ended.
type result struct {
	stdout, stderr string
	code           int // -1 after a signal, -2 if it had to be killed
	took           time.Duration
}

// A job is something to run in a world.
type job struct {
	stdin string
	argv  []string
}

// prompt is the client's command line for an unattended run.
func prompt(more ...string) []string {
	return append([]string{"copilot", "--model", preferred, "-p", "say ok", "--allow-all-tools"}, more...)
}

// under puts ralph-run in front of a command line.
func under(argv []string, flags ...string) []string {
	return append(append([]string{program}, flags...), append([]string{"--"}, argv...)...)
}

// run runs a command line on pipes, to its end.
func (w *world) run(argv []string) result { return w.do(job{argv: argv}) }

func (w *world) do(j job) result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := w.command(ctx, j.argv)
	cmd.Stdin = strings.NewReader(j.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	r := result{out.String(), errs.String(), 0, time.Since(began)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		r.code = exit.ExitCode()
	} else if err != nil {
		r.code = -2
		w.t.Errorf("%q: %v (%v)\nstdout: %s\nstderr: %s\nrequests: %s", j.argv, err, ctx.Err(), r.stdout, r.stderr, w.requests())
	}
	return r
}

func (w *world) command(ctx context.Context, argv []string) *exec.Cmd {
	name := argv[0]
	if name == "copilot" {
		name = client.Path
	}
	cmd := command(ctx, name, argv[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// command is exec.CommandContext for a command whose whole process group is
// killed at the end of the context.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// A state is what the tests look at in the state file.
type state struct {
	State                string
	PreferredModel       string
	FallbackChain        []string
	CurrentFallbackIndex int
	HalfOpenSuccesses    int
	ConsecutiveFailures  int
	CooldownMinutes      float64
	OpenedAt             *time.Time
	Metrics              struct{ TotalFallbacks, TotalRecoveries int }
}

func (w *world) statePath() string {
	return filepath.Join(w.dir, ".squad", "ralph-circuit-breaker.json")
}

func (w *world) state() state {
	w.t.Helper()
	return w.stateIn(w.statePath())
}

func (w *world) stateIn(path string) state {
	w.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		w.t.Fatalf("state file: %v\n%s", err, b)
	}
	return s
}

// isOpen: one limit has opened the circuit.
func (w *world) isOpen() {
	w.t.Helper()
	s := w.state()
	if s.State != "open" || s.CurrentFallbackIndex != 0 || s.Metrics.TotalFallbacks != 1 || s.OpenedAt == nil {
		w.t.Errorf("state = %+v, want open, index 0, one fallback", s)
	}
}

// requests is the stand-in's log as text.
func (w *world) requests() string {
	var b strings.Builder
	all := w.server.Requests()
	for _, r := range all {
		fmt.Fprintf(&b, "\n  %6.2f s %s %d", r.Time.Sub(all[0].Time).Seconds(), r.Model, r.Status)
	}
	return b.String()
}

// asked is the models asked, in order, each as often as it was asked.
func (w *world) asked() []string {
	var models []string
	for _, r := range w.server.Requests() {
		models = append(models, r.Model)
	}
	return models
}

// gap is the time from the first request to the preferred model to the first
// request to the second.
func (w *world) gap() time.Duration {
	w.t.Helper()
	a, b := w.server.Requests(preferred), w.server.Requests(second)
	if len(a) == 0 || len(b) == 0 {
		w.t.Fatalf("the fallback was not asked after the preferred model:%s", w.requests())
	}
	return b[0].Time.Sub(a[0].Time)
}
