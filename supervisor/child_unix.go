//go:build unix

package supervisor

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killAfter is how long a group that we asked to end may take.
const killAfter = 5 * time.Second

type childSys struct {
	group  int // the child's pid, and its process group
	status chan syscall.WaitStatus
	keeper keeper
	term   *session // the inner side of the person's terminal, or nil
	stdin  *os.File // our end of its stdin pipe, or nil
	awake  *os.File // closed when nobody waits for stdin any more
	asleep *os.File // its other end
	routes []*route
	exited chan struct{} // closed when the child itself is gone

	readers  sync.WaitGroup            // those who wait for asleep
	deadline atomic.Pointer[time.Time] // of the draining, once it began

	mu     sync.Mutex
	ending bool // the group was asked to end, and is killed when it does not
	byUs   bool
	killed bool
	gone   bool // nothing may be sent to the group any more
	kill   *time.Timer
}

func (c *child) pid() int { return c.group }

// stop ends the child's whole group: TERM, then KILL after five seconds.
func (c *child) stop() {
	c.mu.Lock()
	first := !c.byUs && !c.gone
	c.byUs = c.byUs || first
	c.mu.Unlock()
	if first {
		c.endWithin(killAfter)
		c.signal(syscall.SIGTERM)
		c.signal(syscall.SIGCONT) // a stopped one could not end
	}
}

// endWithin kills the group if it is still there after d.
func (c *child) endWithin(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.gone {
		return
	}
	c.ending = true
	c.kill = time.AfterFunc(d, func() {
		c.signal(syscall.SIGKILL)
		c.mu.Lock()
		c.killed = true
		c.mu.Unlock()
	})
}

// signal sends sig to the child's group.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		syscall.Kill(-c.group, sig)
	}
}

// run follows the child to its end and puts everything of this run away, in
// the order that doc.go gives.
func (c *child) run() {
	defer close(c.finished)
	ws := c.follow()
	close(c.exited)
	c.endStdin()
	c.awaitGroup()
	c.mu.Lock()
	c.gone = true
	if c.kill != nil {
		c.kill.Stop()
	}
	byUs := c.byUs
	c.mu.Unlock()
	exit := exitOf(ws)
	if sig, stuck := c.drain().(syscall.Signal); stuck {
		exit = Exit{Signal: sig} // as it would have ended a command that is stuck in its last write
	}
	if c.term != nil {
		c.term.detach() // not before the last of the output: it is meant for a raw terminal
	}
	c.keeper.dismiss()
	c.stage.takeBack()
	c.stage.setRunning(nil)
	c.end = childEnd{
		Exit:        exit,
		byUs:        byUs,
		interrupted: c.stage.asks.get(),
		bytes:       c.relay.bytes.Load(),
		outErr:      c.relay.failure(),
	}
}

// follow waits for the child to exit, and stops and goes on with it.
func (c *child) follow() (ws syscall.WaitStatus) {
	for ws = range c.status {
		if ws.Stopped() {
			c.stage.childStopped(c, ws.StopSignal())
		}
	}
	return ws
}

// awaitGroup waits, after a request to end, until the rest of the group has
// ended too, or was killed: a launcher dies at once, the program behind it
// may still be saving its work.
func (c *child) awaitGroup() {
	var sinceKill time.Duration
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		c.mu.Lock()
		ending, killed := c.ending, c.killed
		c.mu.Unlock()
		if !ending || !groupLives(c.group) {
			return
		}
		if killed {
			if sinceKill += pause; sinceKill > 500*time.Millisecond {
				return // it hangs in the kernel
			}
		}
		time.Sleep(pause)
	}
}

// endStdin stops what reads our stdin for the child.
func (c *child) endStdin() {
	c.awake.Close()
	if c.stdin != nil {
		c.stdin.SetWriteDeadline(time.Now())
	}
	if c.term != nil {
		c.term.endKeyboard()
	}
	read := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(read)
		c.relay.copies.Wait()
		c.asleep.Close()
	}()
	select { // what the child has read is to be taken before we end
	case <-read:
	case <-time.After(time.Second): // stuck in a read that another process won
	}
}

// spawn starts the program and follows it: what comes on status is every stop
// of it and, last, its end.
//
// The parent-death signal is sent when the thread that started the child ends,
// so the goroutine keeps its thread until the child is gone.
func spawn(path string, argv []string, attr *syscall.ProcAttr) (int, chan syscall.WaitStatus, error) {
	type started struct {
		pid int
		err error
	}
	start := make(chan started, 1)
	status := make(chan syscall.WaitStatus, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		pid, err := forkExec(path, argv, attr)
		start <- started{pid, err}
		if err == nil {
			reap(pid, status)
		}
	}()
	s := <-start
	return s.pid, status, s.err
}

// forkExec starts the program at path. A script without a #! line is run by the
// shell, as execvp(3) does.
func forkExec(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	pid, err := syscall.ForkExec(path, argv, attr)
	if errors.Is(err, syscall.ENOEXEC) && isText(path) {
		return syscall.ForkExec("/bin/sh", append([]string{"sh", path}, argv[1:]...), attr)
	}
	return pid, err
}

// reap waits for pid. As the first process of a PID namespace it also reaps the
// orphans that are handed to it.
func reap(pid int, status chan<- syscall.WaitStatus) {
	defer close(status)
	which := pid
	if os.Getpid() == 1 {
		which = -1
	}
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(which, &ws, syscall.WUNTRACED, nil)
		if errors.Is(err, syscall.EINTR) || err == nil && got != pid {
			continue
		}
		if err != nil {
			return
		}
		status <- ws
		if !ws.Stopped() {
			return
		}
	}
}

// reapOnly waits for the end of a process that is no command.
func reapOnly(pid int) error {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// isText reports whether a file that the kernel does not know how to run can
// be a shell script: no NUL in its first line.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	buf := make([]byte, 512)
	n, _ := f.Read(buf)
	line, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	return !bytes.Contains(line, []byte{0})
}

func isPath(name string) bool { return strings.Contains(name, "/") }

// executable returns file, or why it cannot be executed.
func executable(file string) (string, error) {
	fi, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if fi.IsDir() {
		return "", errIsDirectory
	}
	return file, unix.Access(file, unix.X_OK)
}

func exitOf(ws syscall.WaitStatus) Exit {
	if ws.Signaled() {
		return Exit{Signal: ws.Signal()}
	}
	return Exit{Code: ws.ExitStatus()}
}
