package supervisor

import (
	"context"
	"time"
)

// wait waits until the first model is expected back, but no longer than MaxWait
// in all. It reports false if there is no time left to wait, or somebody asked
// us to end.
//
// A moment that is not known, or is over already although no model is to be had,
// is waited for longer each time, so that no loop of ours is a busy one.
func (l *loop) wait(ctx context.Context, until time.Time) bool {
	begun := time.Now()
	left := until.Sub(begun)
	if nap := time.Second << min(l.naps, 9); left < nap {
		left = nap
		l.naps++
	}
	left = min(left, l.cfg.MaxWait-l.waited)
	if left <= 0 {
		return false
	}
	defer func() { l.waited += time.Since(begun) }()
	return l.countDown(ctx, begun.Add(left))
}

// countDown shows how long is left until the time has come, and reports false
// if somebody asked us to end first.
func (l *loop) countDown(ctx context.Context, until time.Time) bool {
	_, interrupted := l.stage.interrupted()
	show, every := l.cfg.Countdown, time.Second
	if show == nil {
		show, every = l.sayWait, time.Minute
	}
	over := time.NewTimer(time.Until(until))
	defer over.Stop()
	beat := time.NewTicker(every)
	defer beat.Stop()
	show(time.Until(until), until)
	if l.cfg.Countdown != nil {
		defer show(0, until)
	}
	for {
		select {
		case <-over.C:
			return true
		case <-interrupted:
			return false
		case <-ctx.Done():
			return false
		case <-beat.C:
			show(time.Until(until), until)
		}
	}
}
