package supervisor

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/detect"
)

const (
	pieceSize  = 64 << 10        // as much as a pipe holds by default
	pieces     = 16              // in flight between the copying and the observer
	drainAfter = 1 * time.Second // how long a grandchild may hold an output open after the child's end
	drainRest  = 1 << 20         // what is still read after that, if it is there already
)

// A route is one way of the child's output: from our end of its pipe or pty to
// one of our own streams.
type route struct {
	from   *os.File
	to     *os.File // nil: read and thrown away
	stream detect.Stream
	read   func([]byte) (int, error) // from; ends with os.ErrDeadlineExceeded when nothing comes any more
	pty    bool
	mute   bool            // not shown to the observer
	broken func(err error) // called when our own side is gone: tells the child as the kernel would have
	first  *route          // what was written there before a piece of this route is shown before it, or nil

	mu    sync.Mutex
	got   int64 // bytes read from from
	shown int64 // bytes that the observer has seen: its own
}

// A relay copies the child's output and shows it to the observer after it has
// been passed on. The observer is called by a goroutine of its own, some pieces
// behind the copying, and never holds up what is in front of it. A slow reader or
// a slow observer slows the child; memory is bounded by the pieces.
type relay struct {
	observe   func(detect.Stream, []byte)
	logger    *zap.Logger
	orderWait time.Duration // how long a piece waits for those that were written before it
	free      chan []byte
	full      chan piece
	hurry     chan struct{} // somebody waits for the observer
	copies    sync.WaitGroup
	seen      chan struct{} // closed when the observer has seen everything
	bytes     atomic.Int64

	mu     sync.Mutex
	outErr error
}

type piece struct {
	route *route
	buf   []byte // of full capacity when it goes back to free
	n     int
	after int64 // how much of route.first goes before it
}

func newRelay(observe func(detect.Stream, []byte), logger *zap.Logger) *relay {
	r := &relay{
		observe:   observe,
		logger:    logger,
		orderWait: 500 * time.Millisecond,
		free:      make(chan []byte, pieces),
		full:      make(chan piece, pieces),
		hurry:     make(chan struct{}, 1),
		seen:      make(chan struct{}),
	}
	for range pieces {
		r.free <- nil // made when first needed
	}
	return r
}

// carry copies one route until its end, in its own goroutine.
func (r *relay) carry(t *route) {
	r.copies.Go(func() {
		if t.pty { // a pty's small pieces must not cost a switch of threads each
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		defer t.from.Close()
		for {
			buf := r.buffer()
			n, err := t.read(buf)
			if n > 0 && !r.pass(t, buf, n) {
				return
			}
			if n == 0 {
				r.free <- buf
			}
			if errors.Is(err, os.ErrDeadlineExceeded) {
				r.rest(t)
				return
			}
			if err != nil { // io.EOF, and EIO from a pty: both are the end
				return
			}
		}
	})
}

// buffer returns a free buffer, when there is one.
func (r *relay) buffer() []byte {
	var buf []byte
	select {
	case buf = <-r.free:
	default:
		r.goAhead()
		buf = <-r.free
	}
	if buf == nil {
		buf = make([]byte, pieceSize)
	}
	return buf
}

// goAhead ends the observer's pause.
func (r *relay) goAhead() {
	select {
	case r.hurry <- struct{}{}:
	default:
	}
}

// pass writes one piece out and hands it to the observer. It reports false
// when our own side is gone.
func (r *relay) pass(t *route, buf []byte, n int) bool {
	r.bytes.Add(int64(n))
	var after int64
	if t.first != nil {
		after = t.first.arrived()
	}
	var err error
	if t.to != nil {
		err = writeAll(t.to, buf[:n])
	}
	if t.mute {
		r.free <- buf
	} else {
		r.full <- piece{t, buf, n, after}
	}
	if err == nil {
		return true
	}
	if !readerGone(err) {
		r.fail(fmt.Errorf("write %s: %w", t.to.Name(), err))
	}
	t.broken(err)
	return false
}

// rest passes on what is there already after the drain deadline: a slow reader
// of ours may have used up the time, and that must lose nothing.
func (r *relay) rest(t *route) {
	for left := drainRest; left > 0; {
		buf := r.buffer()
		n := t.readNow(buf)
		if n <= 0 {
			r.free <- buf
			return
		}
		left -= n
		if !r.pass(t, buf, n) {
			return
		}
	}
}

// fail keeps the first error of our own output.
func (r *relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.outErr == nil {
		r.outErr = err
	}
}

func (r *relay) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outErr
}

// finish tells the observer that there is nothing more. All copies have ended.
func (r *relay) finish() {
	close(r.full)
	r.goAhead()
	<-r.seen
}
