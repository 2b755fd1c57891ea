package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// recordInMemory is how much of a piped stdin is kept in memory; what is more
// goes to a temporary file that has no name any more.
const recordInMemory = 64 << 20

// errWoken says that a wait for stdin was ended before anything came.
var errWoken = errors.New("woken")

// recordsStdin reports whether a stdin that can be read only once is recorded:
// there may be a second run that needs it.
func (c *Config) recordsStdin() bool {
	return c.Circuit != nil && c.Attempts != 1 && !leavesStdin(c.Command)
}

// leavesStdin reports a command that is known not to read its stdin: copilot
// with a prompt. It gets ours as it is, since recording reads ahead, and in
//
//	gh issue list | while read -r issue; do ralph-run -- copilot -p "$issue"; done
//
// would take the loop's lines away where there is no [mirror].
func leavesStdin(command []string) bool {
	line := ParseCommand(command)
	return line.Client() == "copilot" && line.HasPrompt()
}

// A recording keeps what was read from a stdin that cannot be rewound, so that
// a retry gets the same bytes. It reads no further than the child does; where
// there is no [mirror], plus what a pipe holds.
type recording struct {
	from  *os.File
	limit int // of the memory, in bytes

	mu    sync.Mutex // held while reading: two attempts never read at once
	head  []byte
	tail  *os.File
	size  int64 // of both
	ended bool  // the end of stdin was seen
	err   error // something could not be kept: no replay
}

// next returns the bytes from offset off on: recorded ones, or else new ones
// as they come. It fails with io.EOF at the end of stdin and with errWoken when
// wake says that nobody waits any more.
func (r *recording) next(off int64, buf []byte, wake int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case off < int64(len(r.head)):
		return copy(buf, r.head[off:]), nil
	case off < r.size:
		return r.tail.ReadAt(buf[:min(int64(len(buf)), r.size-off)], off-int64(len(r.head)))
	case r.ended:
		return 0, io.EOF
	}
	n, err := readWhenReady(r.from, buf, wake)
	if n > 0 {
		r.keep(buf[:n])
		return n, nil
	}
	if errors.Is(err, errWoken) {
		return 0, err
	}
	r.ended = true // an error is an end, too: the child could read no further either
	return 0, io.EOF
}

// keep adds p to the recording.
func (r *recording) keep(p []byte) {
	r.size += int64(len(p))
	if r.err != nil {
		return
	}
	if r.tail == nil && len(r.head)+len(p) <= r.limit {
		r.head = append(r.head, p...)
		return
	}
	if r.tail == nil {
		if r.tail, r.err = unnamedFile(); r.err != nil {
			return
		}
	}
	if _, err := r.tail.Write(p); err != nil {
		r.err = fmt.Errorf("record stdin: %w", err)
	}
}

// replayable reports why a retry cannot get the same stdin, or nil. Where another
// process has read what our own read was told is there, that hangs.
func (r *recording) replayable() error {
	for end := time.Now().Add(3 * time.Second); !r.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("record stdin: another process reads it, too")
		}
	}
	defer r.mu.Unlock()
	return r.err
}

// close forgets everything.
func (r *recording) close() {
	if !r.mu.TryLock() {
		return // a read of ours is stuck in the kernel; the process ends soon
	}
	defer r.mu.Unlock()
	if r.tail != nil {
		r.tail.Close()
	}
	r.head, r.tail, r.ended = nil, nil, true
}

// unnamedFile makes a temporary file that vanishes with this process.
func unnamedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "ralph-run-stdin-*")
	if err != nil {
		return nil, fmt.Errorf("record stdin: %w", err)
	}
	os.Remove(f.Name()) // Windows keeps it until it is closed
	return f, nil
}

// feed gives the recording to the child, from its first byte on, until the
// child closes its end, stdin ends, or wake says that the child is gone.
func (r *recording) feed(to *os.File, wake int) {
	defer to.Close()
	m := newMirror(r.from, to)
	buf := make([]byte, 16<<10)
	for off := int64(0); ; {
		if m != nil && r.live(off) {
			if r.mirror(m, wake) {
				return
			}
			m = nil
		}
		n, err := r.next(off, buf, wake)
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return // EPIPE: it wants no more
		}
		off += int64(n)
	}
}

// live reports that everything before off was recorded, and nothing after it.
func (r *recording) live(off int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return off == r.size && !r.ended
}

// mirror records what the child reads through m. It reports false if there must be
// another way.
func (r *recording) mirror(m *mirror, wake int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := m.follow(wake, r.keep)
	r.ended = errors.Is(err, io.EOF)
	return r.ended || errors.Is(err, errWoken)
}
