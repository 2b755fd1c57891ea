package supervisor

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// attempt runs the command once with the model it was given, reports how that
// ended and records it. The error says why the command did not start.
func (l *loop) attempt(ctx context.Context, a breaker.Attempt) (Record, childEnd, error) {
	rec := Record{Attempt: a, Started: time.Now()}
	l.tried, l.runs = append(l.tried, a.Model), l.runs+1
	line, _ := l.progress.next(l.line, l.cfg.Resume)
	w := newWatch(l.newDetector(l.detectOptions()), vigil{grace: l.cfg.Grace, patience: l.cfg.Patience, attended: !l.unattended})
	if !l.unattended {
		w.alone = l.newDetector(l.detectOptions())
	}
	c, err := l.stage.start(childSpec{argv: argv(line, a.Model), env: l.env(a.Model), observe: w.observe})
	if err != nil {
		l.report(ctx, a, breaker.Outcome{Kind: breaker.Failure})
		return rec, childEnd{}, err
	}
	w.log = newClientLog(line, l.cfg.Env, c.pid(), rec.Started)
	release := l.renew(ctx, a)
	seen := l.watch(ctx, w, c, &rec)
	release()
	end := c.wait()

	rec.Exit, rec.Bytes, rec.Duration = end.Exit, end.bytes, time.Since(rec.Started)
	rec.Nested = l.marker.isSet()
	rec.Verdict = w.close(end, time.Now())
	if rec.Verdict.Kind == detect.None && seen.why != "" && (end.byUs || !l.unattended) {
		rec.Verdict = unsaid(seen.verdict, rec.Verdict)
	}
	if end.interrupted != nil || ctx.Err() != nil {
		rec.EndedBy = bySignal
	}
	if seen.why == "" || l.unattended {
		rec.Change = l.report(ctx, a, outcome(rec.Verdict, end, rec.Nested))
	}
	l.finish(rec)
	return rec, end, nil
}

// watch watches one child. A client that sits on a limit too long is ended; with
// a person at the keyboard it is left alone, and the limit is reported at once,
// since the session may go on for hours.
func (l *loop) watch(ctx context.Context, w *watch, c running, rec *Record) (seen ruling) {
	w.act = func(r ruling) {
		if l.marker.isSet() {
			return
		}
		seen = r
		if !l.unattended {
			o := outcome(r.verdict, childEnd{}, false)
			rec.Change = l.report(ctx, rec.Attempt, o)
			return
		}
		rec.EndedBy, rec.Waited = r.why, time.Since(r.since)
		if r.why == byPatience {
			rec.Saved = max(0, r.verdict.RetryAfter-rec.Waited)
		}
		c.stop()
	}
	w.run(ctx, c)
	return seen
}

// unsaid is the verdict on a child that we ended, or a session in which a limit
// was seen, where its whole output shows no limit: it stands on what was seen.
func unsaid(seen, whole detect.Verdict) detect.Verdict {
	seen.DidWork = seen.DidWork || whole.DidWork
	if seen.SessionID == "" {
		seen.SessionID = whole.SessionID
	}
	return seen
}

// argv is the command line for a model. Without one (a circuit that knows none)
// it is the user's.
func argv(line CommandLine, model string) []string {
	if model == "" {
		return line.argv
	}
	return line.With(model)
}

// env is the environment of a child that runs with model.
func (l *loop) env(model string) []string {
	env := WithEnv(l.cfg.Env, envActive, string(l.marker))
	if model == "" {
		return env
	}
	return WithEnv(WithEnv(env, envCopilotModel, model), envModel, model)
}

func (l *loop) detectOptions() detect.Options {
	o := l.cfg.Detect
	o.Split = l.stage.apart()
	if o.Client == "" {
		o.Client = l.line.Client()
	}
	if o.Prompt == "" {
		o.Prompt = l.line.Prompt()
	}
	return o
}

// renew keeps a probe's lease alive until the returned function is called. It
// has a goroutine of its own, since a store may take seconds to answer.
func (l *loop) renew(ctx context.Context, a breaker.Attempt) (stop func()) {
	if a.Role != breaker.Probe {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer l.onPanic()
		defer close(ended)
		beat := time.NewTicker(l.cfg.Circuit.RenewEvery())
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				if err := l.cfg.Circuit.Renew(ctx, a); err != nil {
					l.cfg.Logger.Debug("lease not renewed", zap.Error(err))
				}
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// finish hands an attempt's record on.
func (l *loop) finish(rec Record) {
	l.result.Attempts = append(l.result.Attempts, rec)
	l.cfg.Logger.Debug("attempt ended", zap.String("model", rec.Attempt.Model), zap.String("role", string(rec.Attempt.Role)),
		zap.String("verdict", string(rec.Verdict.Kind)), zap.String("rule", rec.Verdict.Rule), zap.Int("exit", rec.Exit.Code),
		zap.Duration("duration", rec.Duration), zap.String("endedBy", rec.EndedBy))
	if l.cfg.Record != nil {
		l.cfg.Record(rec)
	}
}
