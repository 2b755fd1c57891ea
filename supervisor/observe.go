package supervisor

import (
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

const breath = 2 * time.Millisecond // the observer's pause, while output goes on

// An audience shows the pieces of a relay to the observer, in the order in which
// the child wrote them as far as that can be known. In one stream it can. Of two
// pipes that are read at nearly the same time stdout goes first: the last word of
// a client that gives up is on stderr, and must not look as if it had gone on.
type audience struct {
	*relay
	held []piece // of the stream that waits for the other one
	late *time.Timer
}

// watch shows all pieces, until there are no more.
func (r *relay) watch() {
	defer close(r.seen)
	a := &audience{relay: r, late: time.NewTimer(r.orderWait)}
	a.late.Stop()
	pause := time.NewTimer(breath)
	for {
		select {
		case p, more := <-r.full:
			if !more {
				a.release(true)
				return
			}
			a.take(p)
		case <-a.late.C:
			a.release(true)
			continue
		}
		if len(r.full) > 0 {
			continue
		}
		// Being woken for each small piece of a terminal's output costs more than
		// looking at it: wait a moment for several.
		pause.Reset(breath)
		select {
		case <-pause.C:
		case <-r.hurry:
		}
	}
}

// take shows a piece, when it is its turn.
func (a *audience) take(p piece) {
	if p.route.first == nil {
		a.show(p)
	} else {
		if len(a.held) == 0 {
			a.late.Reset(a.orderWait)
		}
		a.held = append(a.held, p)
	}
	a.release(false)
}

// release shows the pieces that need not wait any more, or all that wait.
func (a *audience) release(all bool) {
	for len(a.held) > 0 {
		p := a.held[0]
		if !all && p.route.first.shown < p.after {
			return
		}
		a.held = a.held[1:]
		a.show(p)
		a.late.Reset(a.orderWait)
	}
	a.late.Stop()
}

// show calls the observer. A panic there must not take the child's terminal
// and hours of its work with it: it is logged, and nothing more is observed.
func (r *relay) show(p piece) {
	p.route.shown += int64(p.n)
	defer func() { r.free <- p.buf }()
	if r.observe == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.observe = nil
			r.logger.Error("observer of the output panicked; limits are not seen in the rest of this run",
				zap.Any("panic", v), zap.ByteString("stack", debug.Stack()))
		}
	}()
	r.observe(p.route.stream, p.buf[:p.n])
}
