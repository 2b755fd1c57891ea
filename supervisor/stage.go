package supervisor

import (
	"os"

	"github.com/ralph-run/ralph-run/detect"
)

// This file is the contract between the run loop (supervisor.go, watch.go,
// command.go) and the child's side (child*.go, pty*.go, terminal*.go,
// signals*.go, stream.go, stdin.go). It is opened once an invocation.

// A stage is this process's own side of the job: its standard streams, its
// terminal, the signals it catches and the stdin it has recorded. It outlives
// the attempts.
type stage struct{}

// openStage takes over the terminal's and the signals' handling. It changes
// nothing that close does not put back.
func openStage(cfg *Config) (*stage, error) { panic("todo") }

// interactive reports a person at the keyboard: stdin is a terminal.
func (s *stage) interactive() bool { panic("todo") }

// interrupted returns the signal with which somebody asked us to end, or nil,
// and a channel that is closed when that happens.
func (s *stage) interrupted() (os.Signal, <-chan struct{}) { panic("todo") }

// start runs a command on this stage. Before the second start it puts stdin
// back to where it stood at the first.
func (s *stage) start(c childSpec) (*child, error) { panic("todo") }

// close puts everything back. It may be called more than once.
func (s *stage) close() {}

type childSpec struct {
	argv, env []string
	// observe is shown every piece of output after it has been passed on. It is
	// never called by two goroutines at once, and never after wait returned.
	observe func(detect.Stream, []byte)
}

// A child is one run of the command.
type child struct{}

type childEnd struct {
	Exit
	byUs        bool      // ended after stop
	interrupted os.Signal // a person or the host asked us to end, and it was passed on
	bytes       int64
	outErr      error // our own output failed (ENOSPC, EIO), not EPIPE
}

func (c *child) pid() int { panic("todo") }

// done is closed when the child has exited and its output has been drained.
func (c *child) done() <-chan struct{} { panic("todo") }

// stop ends the child's whole group: TERM, then KILL after five seconds.
func (c *child) stop() { panic("todo") }

// wait returns how it ended. The terminal is cooked again by then.
func (c *child) wait() childEnd { panic("todo") }
