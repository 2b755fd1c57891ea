//go:build unix

package supervisor

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLateSIGCONT: one that is handled when the child is gone, or all of the run,
// neither makes the terminal raw again nor takes what is typed.
func TestLateSIGCONT(t *testing.T) {
	t.Parallel()
	o := newOutlet(t, true)
	defer o.close()
	s := stageIn(t, Config{Stdin: o.file, Stdout: o.file, Stderr: o.file})
	c, err := s.start(childSpec{argv: []string{"sh", "-c", "sleep 1; exit 3"}, env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if s.resume(c); !isRaw(termiosOf(t, o.file)) {
		t.Error("the terminal is not raw while the child has it")
	}
	c.wait()
	for _, when := range []string{"the child ended", "the stage is closed"} {
		if s.resume(c); isRaw(termiosOf(t, o.file)) || c.term.keyboard != nil {
			t.Errorf("after %s a SIGCONT gave it the terminal", when)
		}
		c.term.detach()
		s.close()
	}
}

// TestAskedWhileOutputIsStuck: the child is gone, but its last words cannot be
// written. The keyboard is no child's any more; its keys are ours.
func TestAskedWhileOutputIsStuck(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(cmd *exec.Cmd, person *os.File){
		"Ctrl-C": func(_ *exec.Cmd, person *os.File) { person.WriteString("\x03") },
		"kill":   func(cmd *exec.Cmd, _ *os.File) { cmd.Process.Signal(syscall.SIGINT) },
	} {
		person, slave, err := newTerminal()
		if err != nil {
			t.Fatal(err)
		}
		defer person.Close()
		defer slave.Close()
		before := termiosOf(t, slave)
		cmd := startStuck(t, slave)
		eventually(t, "raw mode with signals", func() bool {
			now := termiosOf(t, slave)
			return isRaw(now) && now.Lflag&unix.ISIG != 0
		})
		ask(cmd, person)
		late := time.AfterFunc(enough, func() { cmd.Process.Kill() })
		cmd.Wait()
		late.Stop()
		got := shellStatus(cmd.ProcessState.Sys().(syscall.WaitStatus))
		flushed := got == 4 && name == "Ctrl-C" // the key throws away what is stuck, too
		if got != 130 && !flushed {
			t.Errorf("%s: status %d, want 130: its output was cut", name, got)
		}
		if after := termiosOf(t, slave); after != before {
			t.Errorf("%s: termios before %+v\nafter %+v", name, before, after)
		}
	}
}

// startStuck starts a run on a terminal that takes nothing. Its child writes more
// than there may be room for again, and less than what we and the pty hold.
func startStuck(t *testing.T, slave *os.File) *exec.Cmd {
	t.Helper()
	fill(t, slave)
	cmd := exec.Command("rr", "sh", "-c", "head -c 8000 /dev/zero; exit 4")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// fill writes to a terminal until it takes no more.
func fill(t *testing.T, slave *os.File) {
	t.Helper()
	fd, err := unix.Open(slave.Name(), unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for full := 0; full < 5; {
		if n, _ := unix.Write(fd, make([]byte, 1024)); n > 0 {
			full = 0
			continue
		}
		full++
		time.Sleep(5 * time.Millisecond) // what is on its way makes room once more
	}
}

// TestSlowIsNotStuck: the copying of the last output takes long though the outputs
// would take it.
func TestSlowIsNotStuck(t *testing.T) {
	t.Parallel()
	c := &child{}
	c.routes = []*route{{to: openFile(t, os.DevNull)}}
	copied := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() { close(copied) })
	if c.isStuck(copied, 0) {
		t.Error("it is taken for stuck")
	}
	p, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer full.Close()
	full.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	io.Copy(full, zeros{})
	c.routes[0].to = full
	if !c.isStuck(make(chan struct{}), 0) {
		t.Error("a full pipe is not taken for stuck")
	}
}

// zeros is endless.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestLateEcho: what we sent to our own group is ours however late it comes back,
// and also if another one was sent meanwhile.
func TestLateEcho(t *testing.T) {
	t.Parallel()
	var e echoes
	e.expect(syscall.SIGINT)
	got := e.expect(syscall.SIGQUIT)
	for _, sig := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGINT} {
		if !e.mine(sig) || e.mine(sig) {
			t.Errorf("%v: is not ours exactly once", sig)
		}
	}
	<-got
}
