package supervisor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// A trial is one invocation with fakes.
type trial struct {
	play  *play
	wheel *wheel
	cfg   Config

	result Result
	err    error
	said   []string
	took   time.Duration
}

func newTrial(scenes ...func(*actor) Exit) *trial {
	t := &trial{play: newPlay(scenes...), wheel: newWheel("a", "b", "c")}
	t.cfg = Config{
		Command: []string{"copilot", "--model", "x", "-p", "secret prompt"},
		Grace:   10 * time.Second, Patience: 5 * time.Second, MaxWait: 6 * time.Hour,
		OnExhausted: ExhaustedFail, Resume: true, Env: []string{"HOME=/nonexistent"},
	}
	return t
}

// run runs the trial in a bubble of its own time. during is run beside it.
func (tr *trial) run(t *testing.T, during ...func(*trial)) *trial {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr.cfg.Circuit = tr.wheel
		tr.play.signal = make(chan struct{})
		tr.cfg.Say = func(line string) { tr.said = append(tr.said, line) }
		l := newLoop(tr.cfg, ParseCommand(tr.cfg.Command), tr.play)
		l.newDetector = func(detect.Options) detector { return &reader{} }
		for _, f := range during {
			go f(tr)
		}
		begun := time.Now()
		tr.result, tr.err = l.run(context.Background())
		tr.took = time.Since(begun)
	})
	for _, line := range tr.said {
		if strings.Contains(line, "secret") {
			t.Errorf("said the prompt: %q", line)
		}
	}
	return tr
}

// check compares the models that ran, what was reported and how it ended.
func (tr *trial) check(t *testing.T, models, reports string, want Result) {
	t.Helper()
	if got := strings.Join(tr.play.models(), " "); got != models {
		t.Errorf("ran with %q, want %q", got, models)
	}
	if got := strings.Join(tr.wheel.kinds(), " "); got != reports {
		t.Errorf("reported %q, want %q", got, reports)
	}
	got := tr.result
	got.Attempts, got.Until = nil, time.Time{}
	if diff := cmp.Diff(want, got); diff != "" || tr.err != nil {
		t.Errorf("result (-want +got), error %v:\n%s", tr.err, diff)
	}
}

func ok() Result          { return Result{} }
func code(n int) Result   { return Result{Exit: Exit{Code: n}} }
func left(n int) Result   { return Result{Exit: Exit{Code: n}, Limited: true} }
func nothing() Result     { return Result{Exhausted: true} }
func saw(s string) string { return "a is rate limited (" + s + "); retrying with b" }

var loopTests = []struct {
	name    string
	scenes  []func(*actor) Exit
	change  func(*trial)
	models  string
	reports string
	want    Result
	said    []string
	took    time.Duration // if not 0
}{
	{
		name: "answers", scenes: []func(*actor) Exit{answers},
		models: "a", reports: "a:success", want: ok(),
	},
	{
		name: "fails for another reason", scenes: []func(*actor) Exit{fails},
		models: "a", reports: "a:failure", want: code(3),
	},
	{
		name: "limited, the fallback answers", scenes: []func(*actor) Exit{limited, answers},
		models: "a b", reports: "a:limit b:success", want: ok(), said: []string{saw("429")},
	},
	{
		name: "every model limited", scenes: []func(*actor) Exit{limited, limited, limited},
		models: "a b c", reports: "a:limit b:limit c:limit", want: left(1),
		said: []string{saw("429"), "b is rate limited (429); retrying with c", "c is rate limited (429); no model is left"},
	},
	{
		name: "hangs on a notice", scenes: []func(*actor) Exit{hangs, answers},
		models: "a b", reports: "a:limit b:success", want: ok(), said: []string{saw("429")},
		took: 10*time.Second + glance,
	},
	{
		name: "every one hangs: status 0 after our signal is none", scenes: []func(*actor) Exit{hangs, hangs, hangs},
		models: "a b c", reports: "a:limit b:limit c:limit", want: left(TempFail),
		said: []string{saw("429"), "b is rate limited (429); retrying with c", "c is rate limited (429); no model is left"},
	},
	{
		name: "sits in its own retries", scenes: []func(*actor) Exit{sits, answers},
		models: "a b", reports: "a:limit b:success", want: ok(), said: []string{saw("429")},
		took: speakUp + glance,
	},
	{
		name:   "recovers within the patience",
		scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("wait=2s"); time.Sleep(time.Minute); return answers(a) }},
		models: "a", reports: "a:success", want: ok(), took: time.Minute,
	},
	{
		name: "status 0 and limited", scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("limit"); return Exit{} }},
		change: func(tr *trial) { tr.cfg.Attempts = 1 },
		models: "a", reports: "a:limit", want: left(0), said: []string{"a is rate limited (429); no attempt is left"},
	},
	{
		name: "attempts are bounded", scenes: []func(*actor) Exit{limited, limited},
		change: func(tr *trial) { tr.cfg.Attempts = 2 },
		models: "a b", reports: "a:limit b:limit", want: left(1),
		said: []string{saw("429"), "b is rate limited (429); no attempt is left"},
	},
	{
		name: "not available", scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("unavailable"); return Exit{Code: 1} }, answers},
		models: "a b", reports: "a:unavailable b:success", want: ok(),
		said: []string{"a is not available; retrying with b", "hint: take a out of preferredModel in the state, or correct it"},
	},
	{
		name: "overloaded", scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("overloaded"); return Exit{Code: 1} }},
		models: "a", reports: "a:failure", want: code(1),
	},
	{
		name:   "overloaded falls back on demand",
		scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("overloaded"); return Exit{Code: 1} }, answers},
		change: func(tr *trial) { tr.cfg.AlsoOverloaded = true },
		models: "a b", reports: "a:failure b:success", want: ok(), said: []string{"a is overloaded; retrying with b"},
	},
	{
		name: "a failing store", scenes: []func(*actor) Exit{limited, answers},
		change: func(tr *trial) { tr.wheel.err = &breaker.StoreError{Op: "lock", Err: errors.New("no such luck")} },
		models: "a b", reports: "a:limit b:success", want: ok(),
		said: []string{"lock state: no such luck; going on without it", saw("429")},
	},
	{
		name:   "with a person at the keyboard",
		scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("limit"); return Exit{Code: 1} }},
		change: func(tr *trial) { tr.play.keyboard = true; tr.cfg.Command = []string{"copilot", "--model", "x"} },
		models: "a", reports: "a:limit", want: code(1),
		said: []string{"a is rate limited (429); the next start gets another model"},
	},
	{
		name:   "a session at the keyboard that goes on is never ended",
		scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("sure"); time.Sleep(time.Hour); return Exit{} }},
		change: func(tr *trial) { tr.play.keyboard = true; tr.cfg.Command = []string{"copilot", "--model", "x"} },
		models: "a", reports: "a:limit", want: ok(), took: time.Hour,
		said: []string{"a is rate limited (429); the next start gets another model"},
	},
	{
		name: "a prompt on a terminal is unattended", scenes: []func(*actor) Exit{limited, answers},
		change: func(tr *trial) { tr.play.keyboard = true },
		models: "a b", reports: "a:limit b:success", want: ok(), said: []string{saw("429")},
	},
	{
		name: "work without a session", scenes: []func(*actor) Exit{func(a *actor) Exit { a.print("work limit"); return Exit{Code: 1} }, answers},
		models: "a b", reports: "a:limit b:success", want: ok(),
		said: []string{saw("429"), "a had already run tools, and its session is not known: what they did may be done twice"},
	},
}

func TestLoop(t *testing.T) {
	for _, tt := range loopTests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(tt.scenes...)
			if tt.change != nil {
				tt.change(tr)
			}
			tr.run(t).check(t, tt.models, tt.reports, tt.want)
			if diff := cmp.Diff(tt.said, tr.said); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
			if tt.took != 0 && tr.took != tt.took {
				t.Errorf("took %v, want %v", tr.took, tt.took)
			}
		})
	}
}

// TestLoopResumes runs three models: the first works and is limited, the second
// is limited in the resumed session before it works, the third answers.
func TestLoopResumes(t *testing.T) {
	tr := newTrial(
		func(a *actor) Exit { a.print("work="+sessionA, "sure"); return a.hang() },
		limited, answers,
	).run(t)
	tr.check(t, "a b c", "a:limit b:limit c:success", ok())
	for i, spec := range tr.play.specs {
		n := 0
		for _, arg := range spec.argv {
			if arg == "--resume="+sessionA {
				n++
			}
		}
		if want := min(i, 1); n != want || len(spec.argv) != 5+want {
			t.Errorf("attempt %d resumes %d times, want %d: %q", i+1, n, want, spec.argv)
		}
	}
}

// TestLoopRecords checks what a client that was ended is recorded with.
func TestLoopRecords(t *testing.T) {
	tr := newTrial(sits, hangs, answers)
	var records []Record
	tr.cfg.Record = func(r Record) { records = append(records, r) }
	tr.run(t)
	if len(records) != 3 || len(tr.result.Attempts) != 3 {
		t.Fatalf("%d records, %d in the result, want 3", len(records), len(tr.result.Attempts))
	}
	type facts struct {
		by            string
		waited, saved time.Duration
	}
	want := []facts{{byPatience, speakUp, 60*time.Second - speakUp}, {byGrace, 10 * time.Second, 0}, {}}
	for i, r := range records {
		if got := (facts{r.EndedBy, r.Waited, r.Saved}); got != want[i] {
			t.Errorf("record %d = %+v, want %+v", i, got, want[i])
		}
	}
	if !records[0].Change.Opened || records[0].Attempt.Model != "a" {
		t.Errorf("record 0 = %+v, want the change and the attempt", records[0])
	}
}

func TestLoopEnvironment(t *testing.T) {
	tr := newTrial(limited, answers)
	tr.cfg.Env = []string{"HOME=/nonexistent", "COPILOT_MODEL=x", "A=b"}
	tr.run(t)
	for i, want := range []string{"a", "b"} {
		env := tr.play.specs[i].env
		for _, name := range []string{"COPILOT_MODEL", "RALPH_RUN_MODEL"} {
			if got := Getenv(env, name); got != want {
				t.Errorf("attempt %d: %s=%q, want %q", i+1, name, got, want)
			}
		}
		if !slices.Contains(env, "A=b") || slices.Contains(env, "COPILOT_MODEL=x") {
			t.Errorf("attempt %d: environment %q", i+1, env)
		}
	}
}

// TestLoopLease counts renewals of a probe that runs for an hour.
func TestLoopLease(t *testing.T) {
	tr := newTrial(func(a *actor) Exit { time.Sleep(time.Hour + time.Second); return answers(a) })
	tr.wheel.role = breaker.Probe
	tr.run(t).check(t, "a", "a:success", ok())
	if tr.wheel.renewed != 120 {
		t.Errorf("renewed %d times in an hour, want 120", tr.wheel.renewed)
	}
}
