package supervisor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ralph-run/ralph-run/detect"
)

const (
	// settle is how long a final notice must stand that is beyond doubt. A client
	// that does end by itself takes about a quarter of a second, and then its own
	// status and closing lines arrive. A sub-agent's limit looks the same for an
	// instant, until the run goes on.
	settle = 500 * time.Millisecond

	// speakUp is how long a client that was refused for longer than the patience
	// may take to print its notice or to end by itself.
	speakUp = 2 * time.Second

	// lull is how long after a stated wait a further limit begins a new series,
	// although nothing told that the client went on. Clients wait for up to half a
	// minute of their own accord.
	lull = time.Minute

	// glance is how long the watch lets output gather before it looks.
	glance = 25 * time.Millisecond

	// logEvery is how often the client's log is read.
	logEvery = 200 * time.Millisecond
)

// Why a child was ended, for records.
const (
	byGrace    = "grace"
	byPatience = "patience"
	bySignal   = "signal"
)

// A detector is what the watch needs of a [detect.Detector].
type detector interface {
	Feed(detect.Stream, []byte)
	Standing(now time.Time) (detect.Notice, bool)
	Waiting(now time.Time) (detect.Wait, bool)
	Close(e detect.Exit, now time.Time) detect.Verdict
}

// A sight is what the detector sees at one moment.
type sight struct {
	notice   detect.Notice
	standing bool
	wait     detect.Wait
	waiting  bool
}

// A ruling says that a client sits on a limit for too long.
type ruling struct {
	why     string         // byGrace, byPatience, "" = not yet
	verdict detect.Verdict // what it sits on
	since   time.Time      // when it began to
	again   time.Time      // when to look again without being woken; zero = never
}

// A vigil rules on one attempt. It is told what is seen and the time, and does
// no I/O.
type vigil struct {
	grace, patience time.Duration
	attended        bool // nothing is ended, so that one short limit may be waited out

	stood, sure time.Time // since when a final notice stands, and is beyond doubt
	series      int       // of limits that the client sits out
	count       int
	begun       int           // count at its first limit
	first, last time.Time     // limits of that series
	stated      time.Duration // the last stated wait
}

// look rules on what is seen now.
func (v *vigil) look(s sight, now time.Time) ruling {
	n, w := v.onNotice(s, now), v.onWait(s, now)
	switch {
	case n.why != "":
		if v.count > 0 && v.first.Before(n.since) {
			n.since = v.first
		}
		return n
	case w.why != "" || n.again.IsZero():
		return w
	case !w.again.IsZero() && w.again.Before(n.again):
		return w
	}
	return n
}

// onNotice rules on a final notice: the child is given the grace, or only a
// moment where the client's own log or JSON says the same.
func (v *vigil) onNotice(s sight, now time.Time) ruling {
	if !s.standing || v.grace == 0 {
		v.stood, v.sure = time.Time{}, time.Time{}
		return ruling{}
	}
	if v.stood.IsZero() {
		v.stood = now
	}
	if s.notice.Sure && v.sure.IsZero() {
		v.sure = now
	}
	due := v.stood.Add(v.grace)
	if at := v.sure.Add(settle); !v.sure.IsZero() && at.Before(due) {
		due = at
	}
	if now.Before(due) {
		return ruling{again: due}
	}
	return ruling{why: byGrace, verdict: s.notice.Verdict, since: v.stood}
}

// onWait rules on a client that retries by itself. A wait that is stated to be
// longer than the patience ends it at once, save for the moment in which it may
// give up by itself. Otherwise it has the patience, counted from the first
// limit, and even then only a client that still waits is ended: after a stated
// wait is over without another limit, its next request is being answered.
func (v *vigil) onWait(s sight, now time.Time) ruling {
	if !s.waiting || v.patience == 0 {
		v.count = 0
		return ruling{}
	}
	stated := s.wait.RetryAfter
	fresh := s.wait.Count != v.count
	if v.count == 0 || s.wait.Series != v.series || fresh && now.Sub(v.last) > v.stated+lull {
		v.series, v.first, v.begun = s.wait.Series, now, s.wait.Count
	}
	if fresh {
		v.count, v.last, v.stated = s.wait.Count, now, stated
	}
	due := v.first.Add(v.patience)
	if at := v.last.Add(speakUp); stated > v.patience && at.Before(due) {
		due = at
	}
	switch {
	case now.Before(due):
		return ruling{again: due}
	case stated > 0 && !now.Before(v.last.Add(stated)), stated == 0 && v.attended && v.count == v.begun:
		return ruling{}
	}
	return ruling{why: byPatience, verdict: s.wait.Verdict, since: v.first}
}

// A watch shows one attempt's output and log to a detector and rules on what it
// sees.
type watch struct {
	vigil vigil
	log   *clientLog // nil = none to follow
	act   func(ruling)

	wake  chan struct{}
	astir atomic.Bool // a look is due already: a wake-up for every piece of output costs a thread switch
	mu    sync.Mutex  // guards the rest, and log once it is found
	det   detector
	alone detector // shown the log only, or nil: a session's screen never stands still
	found bool
}

func newWatch(det detector, v vigil) *watch {
	return &watch{vigil: v, det: det, wake: make(chan struct{}, 1)}
}

// observe shows output to the detector. It may be called by any goroutine. What
// the client logged before it printed that is shown first: an answer after a
// refusal must not look like a refusal after an answer.
func (w *watch) observe(s detect.Stream, p []byte) {
	w.mu.Lock()
	w.readLog()
	w.det.Feed(s, p)
	w.mu.Unlock()
	w.stir()
}

// readLog shows what is new in the client's log, if it is found.
func (w *watch) readLog() (news bool) {
	if w.found {
		w.log.read(func(p []byte) {
			news = true
			w.det.Feed(detect.Log, p)
			if w.alone != nil {
				w.alone.Feed(detect.Log, p)
			}
		})
	}
	return news
}

// stir makes the watch look soon.
func (w *watch) stir() {
	if w.astir.Swap(true) {
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run watches until the child has ended. act is called at most once.
func (w *watch) run(ctx context.Context, c running) {
	tick, stop := w.ticks()
	defer stop()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	var due time.Time // of the timer; zero = it is not running
	acted, canceled := false, ctx.Done()
	for {
		select {
		case <-c.done():
			return
		case <-canceled:
			c.stop()
			acted, canceled = true, nil
		case <-tick:
			w.follow()
		case <-w.wake:
			if at := time.Now().Add(glance); !acted && (due.IsZero() || at.Before(due)) {
				due = at
				timer.Reset(glance)
			}
		case <-timer.C:
			w.astir.Store(false)
			r := w.look(time.Now())
			if due = r.again; !due.IsZero() {
				timer.Reset(time.Until(due))
			}
			if r.why != "" {
				acted = true
				w.act(r)
			}
		}
	}
}

// ticks returns the beat at which the client's log is read.
func (w *watch) ticks() (<-chan time.Time, func()) {
	if w.log == nil {
		return nil, func() {}
	}
	t := time.NewTicker(logEvery)
	return t.C, t.Stop
}

// follow finds the client's log and shows what is new in it.
func (w *watch) follow() {
	if w.log == nil || w.log.file == nil && !w.log.find() {
		return
	}
	w.mu.Lock()
	w.found = true
	news := w.readLog()
	w.mu.Unlock()
	if news {
		w.stir()
	}
}

func (w *watch) look(now time.Time) ruling { return w.vigil.look(w.see(now), now) }

func (w *watch) see(now time.Time) sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	var s sight
	s.notice, s.standing = w.det.Standing(now)
	s.wait, s.waiting = w.det.Waiting(now)
	if !s.waiting && w.alone != nil {
		s.wait, s.waiting = w.alone.Waiting(now)
	}
	return s
}

// close reads the rest of the log and returns the verdict.
func (w *watch) close(end childEnd, now time.Time) detect.Verdict {
	w.follow()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found {
		w.log.close()
	}
	return survived(w.det.Close(detectExit(end), now), end)
}
