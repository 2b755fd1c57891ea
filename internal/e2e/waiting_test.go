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
				waiting{l.name + ", " + m.name + ", pipes", copilot.Service, l.as, m.args, false, 3 * time.Second},
				waiting{l.name + ", " + m.name + ", pty", copilot.Service, l.as, m.args, true, 3 * time.Second})
		}
	}
	minute, unsaid := standin.Limit("", time.Minute), standin.Limit("", 0)
	return append(all,
		waiting{"429, Retry-After 60", copilot.Provider, minute, nil, false, patience + time.Second},
		waiting{"429, no Retry-After", copilot.Provider, unsaid, nil, false, 2 * patience},
		waiting{"429, no Retry-After", copilot.Service, unsaid, nil, false, 2 * patience})
}

// TestNoWaiting: the fallback starts when the limit happens, not when the client
// gives up, and the first client is gone by then.
func TestNoWaiting(t *testing.T) {
	for _, tt := range waitings() {
		name := string(tt.path) + ", " + tt.name
		t.Run(name, func(t *testing.T) {
			var w *world
			var alive map[int]string
			w = newWorld(t, tt.path, map[string]standin.Behaviour{
				preferred: tt.as,
				second: func(nth int, toolResult bool) standin.Answer {
					if nth == 0 {
						alive = w.clients(preferred)
					}
					return standin.Fine(answer)(nth, toolResult)
				},
			})
			argv := under(prompt(tt.args...))
			var r result
			if tt.pty {
				r = w.onTerminal(argv)
			} else {
				r = w.run(argv)
			}
			if r.code != 0 || !strings.Contains(r.stdout, answer) {
				t.Errorf("status %d, output %q; want 0, the answer\nstderr: %s", r.code, r.stdout, r.stderr)
			}
			if len(alive) > 0 {
				t.Errorf("when the fallback asked, the first client still ran: %v", alive)
			}
			gap := w.gap()
			measured(name, gap, tt.bound)
			if gap > tt.bound {
				t.Errorf("the fallback asked %.2f s after the first 429, want at most %v:%s", gap.Seconds(), tt.bound, w.requests())
			}
			w.isOpen()
			w.nothingLeft()
		})
	}
}

// clients lists the clients of this world that run on a model.
func (w *world) clients(model string) map[int]string {
	found := w.processes("copilot", model)
	for pid, line := range found {
		if strings.HasPrefix(line, program) {
			delete(found, pid)
		}
	}
	return found
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
