package supervisor

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/ralph-run/ralph-run/detect"
)

// This file is the contract between the run loop (supervisor.go, watch.go,
// command.go) and the child's side (child*.go, pty*.go, terminal*.go,
// signals*.go, stream.go, stdin.go). doc.go numbers the steps.

// A stage is this process's own side of the job: its standard streams, its
// terminal, the signals it catches and the stdin it has recorded. It is opened
// once an invocation and outlives the attempts; they run one after another.
type stage struct {
	cfg  *Config
	asks ask
	stageSys

	mu     sync.Mutex
	child  *child // the one that runs now, or nil
	starts int
	closed bool

	catching  chan struct{} // closed when signals are caught
	panicking atomic.Bool   // in another goroutine than Run's
}

// openStage takes over the terminal's and the signals' handling. It changes
// nothing that close does not put back.
func openStage(cfg *Config) (*stage, error) {
	s := &stage{cfg: cfg}
	s.asks.done = make(chan struct{})
	s.catching = make(chan struct{})
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// interrupted returns the signal with which somebody asked us to end, or nil,
// and a channel that is closed when that happens.
func (s *stage) interrupted() (os.Signal, <-chan struct{}) {
	<-s.catching
	return s.asks.get(), s.asks.done
}

// start runs a command on this stage. Before the second start it puts stdin
// back to where it stood at the first.
func (s *stage) start(c childSpec) (*child, error) {
	s.starts++
	if s.starts > 1 {
		if err := s.rewind(); err != nil {
			return nil, err
		}
	}
	path, err := findCommand(c.argv[0], pathOf(c.env))
	if err != nil {
		return nil, err
	}
	return s.launch(path, c)
}

// running returns the child that runs now, or nil.
func (s *stage) running() *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child
}

// setRunning makes c the child that signals go to.
func (s *stage) setRunning(c *child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.child = c
}

// close puts everything back. It may be called more than once. After a panic
// elsewhere it does not return: the panic ends the program, and not what the
// child's end, of which it is the cause, looks like to Run.
func (s *stage) close() {
	s.putBack()
	if s.panicking.Load() {
		select {}
	}
}

func (s *stage) putBack() {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if !again {
		s.shut()
	}
}

// onPanic puts everything back before a panic ends the program. It is deferred
// by goroutines that Run's own deferred close does not protect.
func (s *stage) onPanic() {
	if v := recover(); v != nil {
		s.panicking.Store(true)
		s.putBack()
		panic(v)
	}
}

// An ask remembers the first signal with which somebody asked us to end.
type ask struct {
	once sync.Once
	sig  atomic.Value
	done chan struct{}
}

func (a *ask) set(sig os.Signal) {
	a.once.Do(func() {
		a.sig.Store(sig)
		close(a.done)
	})
}

func (a *ask) get() os.Signal {
	sig, _ := a.sig.Load().(os.Signal)
	return sig
}

type childSpec struct {
	argv, env []string
	// observe is shown every piece of output after it has been passed on. It is
	// never called by two goroutines at once, and never after wait returned.
	// It may be nil.
	observe func(detect.Stream, []byte)
}

// A childEnd is how one run of the command ended.
type childEnd struct {
	Exit
	byUs        bool      // ended after stop
	interrupted os.Signal // a person or the host asked us to end, and it was passed on
	bytes       int64     // of output
	outErr      error     // our own output failed (ENOSPC, EIO), not EPIPE
}
