package supervisor

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// Every line that a run shows to its user is worded here. None of them holds
// anything of the child's output or of the command line but a model's name.

// sayRetry tells which model is tried next and why.
func (l *loop) sayRetry(last Record, next string) {
	v := last.Verdict
	l.cfg.Say(fmt.Sprintf("%s %s; retrying with %s", last.Attempt.Model, state(v, time.Now()), next))
	if v.Kind == detect.Unavailable {
		l.cfg.Say(fmt.Sprintf("hint: take %s out of %s in the state, or correct it", last.Attempt.Model, setting(last.Attempt.Role)))
	}
}

// sayEnd tells that the run ends limited.
func (l *loop) sayEnd(last Record, why string) {
	l.cfg.Say(fmt.Sprintf("%s %s; %s", last.Attempt.Model, state(last.Verdict, time.Now()), why))
	if last.Verdict.Kind == detect.Unavailable {
		l.cfg.Say(fmt.Sprintf("hint: correct %s in the state", setting(last.Attempt.Role)))
	}
}

// sayTwice warns that work will be done a second time.
func (l *loop) sayTwice(model, why string) {
	l.cfg.Say(fmt.Sprintf("%s had already run tools, and %s: what they did may be done twice", model, why))
}

// sayExhausted tells that nothing was started. It is one line: a loop may say it
// every minute of a night.
func (l *loop) sayExhausted(e *breaker.ExhaustedError) {
	until := ""
	if !e.Until.IsZero() {
		until = " until " + clock(e.Until, time.Now())
	}
	l.cfg.Say(fmt.Sprintf("every model is rate limited%s (%s); nothing was started (--on-exhausted wait waits, --on-exhausted try starts all the same)",
		until, strings.Join(e.Models, ", ")))
}

// sayWait tells that the run waits, as a line of its own.
func (l *loop) sayWait(left time.Duration, until time.Time) {
	l.cfg.Say(fmt.Sprintf("every model is rate limited; waiting until %s (%s left)", clock(until, time.Now()), length(left)))
}

// warnStore tells once that the circuit's place fails.
func (l *loop) warnStore(err error) {
	var failed *breaker.StoreError
	if err == nil || l.warned || !errors.As(err, &failed) {
		return
	}
	l.warned = true
	l.cfg.Logger.Debug("state not usable", zap.Error(err))
	l.cfg.Say(err.Error() + "; going on without it")
}

// warnModel tells once that the state's preferred model wins over the command's.
func (l *loop) warnModel(a breaker.Attempt) {
	if given := l.line.Model(); given != "" && a.Circuit != "" && given != a.Circuit && !l.cfg.Chosen {
		l.cfg.Logger.Warn("the state's preferred model wins over the command's; --prefer overrides it",
			zap.String("command", given), zap.String("preferred", a.Circuit))
	}
}

// state says in words what is wrong with a model.
func state(v detect.Verdict, now time.Time) string {
	switch v.Kind {
	case detect.Unavailable:
		return "is not available"
	case detect.Overloaded:
		return "is overloaded"
	}
	what := "429"
	switch {
	case v.Scope == detect.ScopeWeekly:
		what = "weekly limit"
	case v.Scope == detect.ScopeSession:
		what = "session limit"
	case v.Scope == detect.ScopeAccount:
		what = "account limit"
	}
	if v.ResetAt.After(now) {
		what += ", resets in " + length(v.ResetAt.Sub(now))
	}
	return "is rate limited (" + what + ")"
}

// setting names the field of the state that holds a model of this role.
func setting(r breaker.Role) string {
	if r == breaker.Fallback {
		return "fallbackChain"
	}
	return "preferredModel"
}

// length words a duration as a person would, rounded.
func length(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(1, int(d.Round(time.Second)/time.Second)))
	case d < time.Hour-30*time.Second:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute)/time.Minute))
	case d < 10*time.Hour:
		m := int(d.Round(time.Minute) / time.Minute)
		if m%60 == 0 {
			return fmt.Sprintf("%dh", m/60)
		}
		return fmt.Sprintf("%dh%dm", m/60, m%60)
	case d < 72*time.Hour:
		return fmt.Sprintf("%dh", int(d.Round(time.Hour)/time.Hour))
	}
	return fmt.Sprintf("%dd", int(d.Round(24*time.Hour)/(24*time.Hour)))
}

// clock words a moment: the time of day, and the date if it is not today.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Jan 2 15:04")
}
