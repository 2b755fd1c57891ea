package supervisor

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

type stageSys struct {
	record *recording
	stdin0 int64 // where a stdin that is a file stood at first, or -1
	caught chan os.Signal
	ended  chan struct{}
}

func (s *stage) open() error {
	if s.cfg.PTY == PTYAlways {
		return fmt.Errorf("--pty always: a pseudo-terminal on Windows: %w", errors.ErrUnsupported)
	}
	s.stdin0 = -1
	if fi, err := s.cfg.Stdin.Stat(); err == nil && fi.Mode().IsRegular() {
		s.stdin0, _ = s.cfg.Stdin.Seek(0, 1)
	} else if err == nil && fi.Mode()&os.ModeNamedPipe != 0 && s.cfg.recordsStdin() {
		s.record = &recording{from: s.cfg.Stdin, limit: recordInMemory}
	}
	s.catch()
	return nil
}

// catch begins to catch Ctrl-C. The console sends it to the child, too.
func (s *stage) catch() {
	s.caught = make(chan os.Signal, 4)
	s.ended = make(chan struct{})
	signal.Notify(s.caught, os.Interrupt, syscall.SIGTERM)
	close(s.catching)
	go func() {
		defer close(s.ended)
		for sig := range s.caught {
			s.asks.set(sig)
			if c := s.running(); c != nil && sig != os.Interrupt {
				c.endJob()
			}
		}
	}()
}

// apart reports whether the child's stderr is a stream of its own.
func (s *stage) apart() bool { return true }

// interactive reports a person at the keyboard: stdin is a console.
func (s *stage) interactive() bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(s.cfg.Stdin.Fd()), &mode) == nil
}

func (s *stage) shut() {
	if c := s.running(); c != nil {
		c.endJob()
	}
	signal.Stop(s.caught)
	close(s.caught)
	<-s.ended
	if s.record != nil {
		s.record.close()
	}
}

// rewind puts stdin back to where it stood at the first start.
func (s *stage) rewind() error {
	if s.record != nil {
		return s.record.replayable()
	}
	if s.stdin0 < 0 {
		return nil
	}
	_, err := s.cfg.Stdin.Seek(s.stdin0, 0)
	return err
}
