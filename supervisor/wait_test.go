package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exhaust makes every model limited: the first of them for an hour, the others
// for longer.
func exhaust(tr *trial) {
	for i, m := range tr.wheel.models {
		tr.wheel.until[m] = bubbleStart.Add(time.Duration(i+1) * time.Hour)
	}
}

// bubbleStart is when time begins in a synctest bubble.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestExhaustedFail(t *testing.T) {
	for _, how := range []OnExhausted{ExhaustedFail, ExhaustedTry, ""} {
		tr := newTrial()
		tr.cfg.OnExhausted = how
		exhaust(tr)
		tr.run(t).check(t, "", "", nothing())
		if !tr.result.Until.Equal(bubbleStart.Add(time.Hour)) {
			t.Errorf("%q: until %v, want in an hour", how, tr.result.Until)
		}
		want := "every model is rate limited until " + clock(bubbleStart.Add(time.Hour), bubbleStart) + " (a, b, c); nothing was started (--on-exhausted "
		if len(tr.said) != 1 || !strings.HasPrefix(tr.said[0], want) {
			t.Errorf("%q: said %q, want one line that begins %q", how, tr.said, want)
		}
	}
}

func TestExhaustedWait(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*trial)
		scenes  []func(*actor) Exit
		models  string
		reports string
		want    Result
		took    time.Duration
	}{
		{
			name: "before the first run", change: exhaust, scenes: []func(*actor) Exit{answers},
			models: "a", reports: "a:success", want: ok(), took: time.Hour,
		},
		{
			name: "after every model was limited", scenes: []func(*actor) Exit{limited, limited, limited, answers},
			models: "a b c a", reports: "a:limit b:limit c:limit a:success", want: ok(), took: 10 * time.Minute,
		},
		{
			name: "no longer than allowed", change: func(tr *trial) { exhaust(tr); tr.cfg.MaxWait = 20 * time.Minute },
			want: nothing(), took: 20 * time.Minute,
		},
		{
			name:   "no longer than allowed in all",
			change: func(tr *trial) { tr.cfg.MaxWait = 15 * time.Minute },
			scenes: []func(*actor) Exit{limited, limited, limited, limited, limited, limited},
			models: "a b c a b c", reports: "a:limit b:limit c:limit a:limit b:limit c:limit", want: left(1), took: 15 * time.Minute,
		},
		{
			name: "attempts are bounded over the rounds", change: func(tr *trial) { tr.cfg.Attempts = 4 },
			scenes: []func(*actor) Exit{limited, limited, limited, limited},
			models: "a b c a", reports: "a:limit b:limit c:limit a:limit", want: left(1), took: 10 * time.Minute,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(tt.scenes...)
			tr.cfg.OnExhausted = ExhaustedWait
			if tt.change != nil {
				tt.change(tr)
			}
			tr.run(t).check(t, tt.models, tt.reports, tt.want)
			if tr.took != tt.took {
				t.Errorf("took %v, want %v", tr.took, tt.took)
			}
		})
	}
}

// TestExhaustedWaitUnknown has a circuit that has no model and does not know
// until when: the waits grow.
func TestExhaustedWaitUnknown(t *testing.T) {
	tr := newTrial(limited, limited, limited, answers)
	tr.wheel.models, tr.wheel.forgets = tr.wheel.models[:1], true
	tr.cfg.OnExhausted = ExhaustedWait
	tr.run(t).check(t, "a a a a", "a:limit a:limit a:limit a:success", ok())
	if want := (1 + 2 + 4) * time.Second; tr.took != want {
		t.Errorf("took %v, want %v", tr.took, want)
	}
}

func TestCountdown(t *testing.T) {
	t.Run("shown every second", func(t *testing.T) {
		tr := newTrial(answers)
		tr.cfg.OnExhausted = ExhaustedWait
		exhaust(tr)
		var shown []time.Duration
		tr.cfg.Countdown = func(left time.Duration, until time.Time) { shown = append(shown, left) }
		tr.run(t)
		if n := len(shown); n < 3600 || n > 3602 || shown[0] != time.Hour || shown[1] != time.Hour-time.Second || shown[n-1] != 0 {
			t.Errorf("shown %d times, from %v to %v, want every second of an hour and 0 at last", n, shown[0], shown[n-1])
		}
		if len(tr.said) != 0 {
			t.Errorf("said %q too", tr.said)
		}
	})
	t.Run("a line a minute", func(t *testing.T) {
		tr := newTrial(answers)
		tr.cfg.OnExhausted = ExhaustedWait
		exhaust(tr)
		tr.run(t)
		if n := len(tr.said); n < 60 || n > 61 || !strings.HasSuffix(tr.said[1], "(59m left)") {
			t.Errorf("%d lines, the second one %q, want one a minute", n, tr.said[1])
		}
	})
	t.Run("ended by a signal at once", func(t *testing.T) {
		tr := newTrial(limited, limited, limited)
		tr.cfg.OnExhausted = ExhaustedWait
		tr.run(t, func(tr *trial) {
			time.Sleep(90 * time.Second)
			tr.play.interrupt(syscall.SIGTERM)
		})
		tr.check(t, "a b c", "a:limit b:limit c:limit", Result{Exit: Exit{Signal: syscall.SIGTERM}})
		if tr.took != 90*time.Second {
			t.Errorf("took %v, want 90s", tr.took)
		}
	})
}

// TestNested has an inner ralph-run below the child that decides: the outer one
// neither ends, nor records, nor retries.
func TestNested(t *testing.T) {
	var outer string
	tr := newTrial(func(a *actor) Exit {
		outer = Getenv(a.spec.env, envActive)
		marker(outer).set()
		a.print("sure")
		time.Sleep(time.Minute)
		a.print("limit")
		return Exit{Code: 1}
	})
	tr.run(t).check(t, "a", "a:failure", code(1))
	if tr.took != time.Minute {
		t.Errorf("took %v, want the minute that the inner one took", tr.took)
	}
	if len(tr.said) != 0 || !tr.result.Attempts[0].Nested {
		t.Errorf("said %q, record %+v, want silence and a nested record", tr.said, tr.result.Attempts[0])
	}
	if err := os.Remove(outer); err != nil {
		t.Error(err)
	}
}

func TestMarker(t *testing.T) {
	m := newMarker()
	outer := newLoop(Config{}, CommandLine{}, newPlay())
	inner := newLoop(Config{Env: []string{envActive + "=" + string(outer.marker)}}, CommandLine{}, newPlay())
	if outer.marker.isSet() {
		t.Fatal("set before the inner one began")
	}
	leave := inner.enter()
	leave()
	if !outer.marker.isSet() {
		t.Error("not set by the inner one")
	}
	outer.enter()()
	if outer.marker.isSet() {
		t.Error("left behind by the outer one")
	}
	for _, bad := range []string{"", "1", "ralph-run-active-x", filepath.Join(t.TempDir(), "other")} {
		marker(bad).set()
		if m := marker(bad); m.isSet() {
			t.Errorf("marker %q made a file", bad)
		}
	}
	if m == newMarker() {
		t.Error("two markers are the same")
	}
}

func TestDecides(t *testing.T) {
	tests := []struct {
		command string
		want    bool
	}{
		{"copilot -p x", true},
		{"make", true},
		{"copilot --version", false},
		{"copilot login", false},
		{"copilot --acp", false},
		{"/usr/bin/ralph-run -- copilot -p x", false},
	}
	for _, tt := range tests {
		if got := ParseCommand(strings.Fields(tt.command)).decides(); got != tt.want {
			t.Errorf("decides(%q) = %v, want %v", tt.command, got, tt.want)
		}
	}
}
