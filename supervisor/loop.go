package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// A running child, as the loop sees it. [*child] is one.
type running interface {
	pid() int
	done() <-chan struct{}
	stop()
	wait() childEnd
}

// A starter is the part of a [stage] that the loop needs.
type starter interface {
	interactive() bool
	apart() bool
	interrupted() (os.Signal, <-chan struct{})
	start(childSpec) (running, error)
}

// onStage is a stage as a starter.
type onStage struct{ *stage }

func (s onStage) start(c childSpec) (running, error) {
	ch, err := s.stage.start(c)
	if err != nil {
		return nil, err
	}
	return ch, nil
}

// A loop is one invocation: attempts on one command until one of them is not
// limited or no model is left.
type loop struct {
	cfg         Config
	stage       starter
	newDetector func(detect.Options) detector
	line        CommandLine // as the user gave it
	unattended  bool        // nobody is at the keyboard: a limited run may be ended and repeated
	marker      marker
	progress    progress
	onPanic     func() // deferred by every goroutine but Run's: the terminal must not stay raw

	tried  []string // models of this round
	runs   int
	waited time.Duration
	naps   int  // waits without a stated end, or a very near one
	warned bool // of a failing store
	result Result
}

func newLoop(cfg Config, line CommandLine, st starter) *loop {
	if cfg.Logger == nil {
		cfg.Logger = zap.NewNop()
	}
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	l := &loop{cfg: cfg, stage: st, line: line, marker: newMarker(), onPanic: func() {}}
	l.newDetector = func(o detect.Options) detector { return detect.New(o) }
	l.unattended = !st.interactive() || l.line.HasPrompt()
	return l
}

// decides reports whether this process chooses the model. It does not for
// commands that are no run under one, and leaves it to another ralph-run if that
// is the command.
func (c CommandLine) decides() bool {
	return !c.PassThrough() && baseName(c.argv[0]) != "ralph-run"
}

// passThrough runs the command as it is.
func passThrough(ctx context.Context, cfg Config, st starter) (Result, error) {
	c, err := st.start(childSpec{argv: cfg.Command, env: cfg.Env})
	if err != nil {
		return Result{}, err
	}
	select {
	case <-c.done():
	case <-ctx.Done():
		c.stop()
	}
	end := c.wait()
	return Result{Exit: end.Exit}, outputError(end)
}

// enter tells an outer supervisor that this one decides, and returns what takes
// the traces of an inner one away.
func (l *loop) enter() (leave func()) {
	marker(Getenv(l.cfg.Env, envActive)).set()
	return l.marker.remove
}

// run is the life of an invocation that decides.
func (l *loop) run(ctx context.Context) (Result, error) {
	a, ok := l.acquire(ctx)
	if !ok {
		return l.result, nil
	}
	l.warnModel(a)
	for {
		rec, end, err := l.attempt(ctx, a)
		if err != nil {
			return l.notStarted(err)
		}
		if !l.goesOn(ctx, rec, end) {
			return l.result, outputError(end)
		}
		if a, ok = l.next(ctx, rec); !ok {
			return l.result, nil
		}
	}
}

// notStarted settles the result where the command could not be started. After
// an attempt there is an end to tell of: that one's.
func (l *loop) notStarted(err error) (Result, error) {
	if len(l.result.Attempts) == 0 {
		return l.result, err
	}
	last := l.result.Attempts[len(l.result.Attempts)-1].Verdict
	l.result.Limited, l.result.Until = last.Kind == detect.Limit, last.ResetAt
	l.cfg.Say("the command cannot be run again: " + err.Error())
	return l.result, nil
}

// goesOn settles the result of an attempt and reports whether another one
// should follow.
func (l *loop) goesOn(ctx context.Context, rec Record, end childEnd) bool {
	l.result.Exit = rec.Exit
	switch {
	case rec.Nested, end.interrupted != nil, end.outErr != nil, ctx.Err() != nil, !l.cfg.falls(rec.Verdict):
		return false
	case !l.unattended:
		l.sayEnd(rec, "the next start gets another model")
		return false
	}
	if end.byUs {
		l.result.Exit = Exit{Code: TempFail}
	}
	l.result.Limited = rec.Verdict.Kind == detect.Limit
	l.result.Until = rec.Verdict.ResetAt
	l.progress.add(rec.Verdict)
	switch {
	case l.cfg.Attempts > 0 && l.runs >= l.cfg.Attempts:
		l.sayEnd(rec, "no attempt is left")
		return false
	}
	return true
}

// next gets the model of a further attempt and says so.
func (l *loop) next(ctx context.Context, last Record) (breaker.Attempt, bool) {
	a, ok := l.acquire(ctx)
	if !ok {
		if sig, _ := l.stage.interrupted(); sig == nil {
			l.sayEnd(last, "no model is left")
		}
		return a, false
	}
	l.result.Limited, l.result.Until = false, time.Time{}
	l.sayRetry(last, a.Model)
	if _, why := l.progress.next(l.line, l.cfg.Resume); why != "" {
		l.sayTwice(last.Attempt.Model, why)
	}
	return a, true
}

// acquire asks the circuit for a model, and waits for one if that is wanted. It
// reports false if there is none, or somebody asked us to end meanwhile.
func (l *loop) acquire(ctx context.Context) (breaker.Attempt, bool) {
	for {
		a, err := l.cfg.Circuit.Acquire(ctx, l.tried)
		var full *breaker.ExhaustedError
		if !errors.As(err, &full) {
			l.warnStore(err)
			return l.unlessInterrupted(ctx, a)
		}
		l.result.Until = full.Until
		if l.cfg.OnExhausted != ExhaustedWait || !l.wait(ctx, full.Until) {
			l.exhausted(full)
			return a, false
		}
		l.tried = nil // a new round
	}
}

// unlessInterrupted gives an attempt back if somebody asked us to end.
func (l *loop) unlessInterrupted(ctx context.Context, a breaker.Attempt) (breaker.Attempt, bool) {
	sig, _ := l.stage.interrupted()
	if sig == nil && ctx.Err() == nil {
		return a, true
	}
	l.report(ctx, a, breaker.Outcome{Kind: breaker.Failure})
	l.endBy(sig)
	return a, false
}

// endBy makes a signal that came while no child ran the end of the run.
func (l *loop) endBy(sig os.Signal) {
	if s, ok := sig.(syscall.Signal); ok {
		l.result.Exit = Exit{Signal: s}
		l.result.Limited, l.result.Exhausted = false, false
	}
}

// exhausted settles the result where no model is to be had. Only an invocation
// that started nothing speaks of it here; another one has its last attempt to
// speak of.
func (l *loop) exhausted(e *breaker.ExhaustedError) {
	if sig, _ := l.stage.interrupted(); sig != nil {
		l.endBy(sig)
		return
	}
	if l.runs > 0 {
		return
	}
	l.result.Exhausted = true
	l.sayExhausted(e)
}

// report tells the circuit how an attempt ended, also after the invocation's
// own context is done: a probe must be given back.
func (l *loop) report(ctx context.Context, a breaker.Attempt, o breaker.Outcome) breaker.Change {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	change, err := l.cfg.Circuit.Report(ctx, a, o)
	l.warnStore(err)
	return change
}

// outputError words a failure of our own output.
func outputError(end childEnd) error {
	if end.outErr == nil {
		return nil
	}
	return fmt.Errorf("write output: %w", end.outErr)
}
