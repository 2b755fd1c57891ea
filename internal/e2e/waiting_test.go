//go:build copilot

package e2e

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// The tests in this file measure time, so they run one after the other and
// before everything that runs in parallel.

const patience = 5 * time.Second // ralph-run's default

// A waiting is a limit on which the client alone hangs or retries for long.
type waiting struct {
	name  string
	path  copilot.Path
	as    standin.Behaviour
	args  []string
	pty   bool
	bound time.Duration // from the first 429 to the fallback's first request
	alone string        // what the client does without ralph-run, measured before
}

func waitings() []waiting {
	var all []waiting
	limits := []struct {
		name string
		as   standin.Behaviour
	}{
		{"model limit", standin.Limit("user_model_rate_limited", 30*time.Minute)},
		{"weekly limit", standin.Limit("user_weekly_rate_limited", 48*time.Hour)},
		{"generic 429", standin.Limit("", time.Hour)},
	}
	modes := []struct {
		name string
		args []string
	}{{"text", nil}, {"-s", []string{"-s"}}, {"JSON", []string{"--output-format", "json"}}}
	for _, l := range limits {
		for _, m := range modes {
			all = append(all,
				waiting{l.name + ", " + m.name + ", pipes", copilot.Service, l.as, m.args, false, 3 * time.Second, "hangs"},
				waiting{l.name + ", " + m.name + ", pty", copilot.Service, l.as, m.args, true, 3 * time.Second, "hangs"})
		}
	}
	unsaid := standin.Limit("", 0)
	return append(all,
		waiting{"429, Retry-After 60", copilot.Provider, standin.Limit("", time.Minute), nil, false, patience + time.Second, "335 s"},
		waiting{"429, Retry-After 2", copilot.Provider, standin.Limit("", 2*time.Second), nil, false, 2 * patience, "11 s"},
		waiting{"429, no Retry-After", copilot.Provider, unsaid, nil, false, 2 * patience, "55 s"},
		waiting{"429, no Retry-After", copilot.Service, unsaid, nil, false, 2 * patience, "hangs"})
}

// TestNoWaiting: the fallback starts when the limit happens, not when the client
// gives up, and the first client is gone by then.
func TestNoWaiting(t *testing.T) {
	for _, tt := range waitings() {
		name := string(tt.path) + ", " + tt.name
		t.Run(name, func(t *testing.T) {
			var w *world
			var alive map[int]string
			fig := figure{what: name, bound: tt.bound, alone: tt.alone}
			w = newWorld(t, tt.path, map[string]standin.Behaviour{
				preferred: tt.as,
				second: func(nth int, toolResult bool) standin.Answer {
					if nth == 0 {
						alive = w.clients(preferred)
						fig.start = w.age(second)
					}
					return standin.Fine(answer)(nth, toolResult)
				},
			})
			run := w.run
			if tt.pty {
				run = w.onTerminal
			}
			r := run(under(prompt(tt.args...)))
			if r.code != 0 || !strings.Contains(r.stdout, answer) {
				t.Errorf("status %d, output %q; want 0, the answer\nstderr: %s", r.code, r.stdout, r.stderr)
			}
			if len(alive) > 0 {
				t.Errorf("when the fallback asked, the first client still ran: %v", alive)
			}
			fig.took = w.gap()
			fig.record()
			if !fig.inTime() {
				t.Errorf("the fallback asked %.2f s after the first 429 (start of the client: %.2f s), want at most %v:%s",
					fig.took.Seconds(), fig.start.Seconds(), tt.bound, w.requests())
			}
			w.isOpen()
			w.nothingLeft()
		})
	}
}

// onTerminal runs a command line on a pty of its own, to its end. What the
// terminal shows is returned as stdout.
func (w *world) onTerminal(argv []string) result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.env
	began := time.Now()
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		w.t.Fatal(err)
	}
	defer master.Close()
	out, _ := io.ReadAll(master) // the end of a pty is an error
	err = cmd.Wait()
	if ctx.Err() != nil {
		w.t.Fatalf("%q on a terminal: %v (%v)\n%s\nrequests: %s", argv, err, ctx.Err(), out, w.requests())
	}
	return result{string(out), "", cmd.ProcessState.ExitCode(), time.Since(began)}
}

// TestResume: a tool ran before the limit. The fallback goes on where the first
// run stopped, and the tool doesn't run twice.
func TestResume(t *testing.T) {
	const work = "echo done >> work.txt"
	for _, path := range bothPaths {
		for _, args := range [][]string{nil, {"--output-format", "json"}} {
			t.Run(strings.Join(append([]string{string(path)}, args...), " "), func(t *testing.T) {
				w := newWorld(t, path, map[string]standin.Behaviour{
					preferred: standin.Tool(work, standin.Limit("user_model_rate_limited", 30*time.Minute)),
					second:    standin.Tool(work, standin.Fine(answer)),
				})
				r := w.run(under(prompt(args...)))
				if r.code != 0 || !strings.Contains(r.stdout, answer) {
					t.Errorf("status %d, stdout %q; want 0, the answer\nstderr: %s", r.code, r.stdout, r.stderr)
				}
				got, err := os.ReadFile(filepath.Join(w.dir, "work.txt"))
				if err != nil || string(got) != "done\n" {
					t.Errorf("the tool's effect = %q, %v; want it once", got, err)
				}
				if asked := w.server.Requests(second); len(asked) != 1 || !asked[0].ToolResult {
					t.Errorf("the fallback did not resume:%s", w.requests())
				}
				w.isOpen()
				w.nothingLeft()
			})
		}
	}
}
