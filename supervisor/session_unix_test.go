//go:build unix

package supervisor

import (
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

// TestCtrlCWhileOutputIsStuck: the child is gone, but its last words cannot be
// written. The keyboard is no child's any more; its keys are ours.
func TestCtrlCWhileOutputIsStuck(t *testing.T) {
	t.Parallel()
	master, slave, err := newTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	before := termiosOf(t, slave)
	// More than the terminal holds, and less than that and what we have taken.
	cmd := exec.Command("rr", "sh", "-c", "head -c 20000 /dev/zero; exit 4")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer slave.Close()
	eventually(t, "raw mode with signals", func() bool {
		now := termiosOf(t, slave)
		return isRaw(now) && now.Lflag&unix.ISIG != 0
	})
	master.WriteString("\x03")
	select {
	case <-ended:
	case <-time.After(enough):
		t.Error("Ctrl-C did not end it")
		cmd.Process.Kill()
		<-ended
	}
	if got := shellStatus(cmd.ProcessState.Sys().(syscall.WaitStatus)); got != 130 {
		t.Errorf("status %d, want 130: its output was cut", got)
	}
	if after := termiosOf(t, slave); after != before {
		t.Errorf("termios before %+v\nafter %+v", before, after)
	}
}

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
