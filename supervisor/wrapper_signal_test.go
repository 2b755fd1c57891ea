//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestWrapper06CtrlCArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, wiring := range []string{"terminal", "job"} {
		p, us := showsSignals(t, wiring)
		for range 3 {
			p.type_("\x03")
			p.expect("SIGINT")
			syscall.Kill(us, syscall.SIGUSR1) // would come after a second one
			if got := p.expect("SIGUSR1"); strings.Contains(got, "SIGINT") {
				t.Errorf("%s: Ctrl-C arrived more than once: %q", wiring, got)
			}
		}
		syscall.Kill(us, syscall.SIGTERM)
		p.expect("SIGTERM")
	}
}

// TestWrapper06KillArrivesOnce has nothing typed before: a signal that comes
// while one that was typed is on its way to us is the same one for the kernel.
func TestWrapper06KillArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, wiring := range []string{"terminal", "job"} {
		p, us := showsSignals(t, wiring)
		syscall.Kill(us, syscall.SIGINT)
		p.expect("SIGINT")
		syscall.Kill(us, syscall.SIGUSR2)
		if got := p.expect("SIGUSR2"); strings.Contains(got, "SIGINT") {
			t.Errorf("%s: kill -INT arrived more than once: %q", wiring, got)
		}
		syscall.Kill(us, syscall.SIGTERM)
		p.expect("SIGTERM")
	}
}

// showsSignals starts a child that prints the signals it gets, below a shell
// with job control or directly, and tells our pid.
func showsSignals(t *testing.T, wiring string) (p *proc, us int) {
	t.Helper()
	if wiring == "job" {
		p = interactiveShell(t)
		p.type_("rr kid signals\r")
	} else {
		p = onTerminal(t, [3]*os.File{}, "rr", "kid", "signals")
	}
	p.expect("ready")
	return p, p.us(wiring)
}

// TestWrapper06CookedCtrlC: where the terminal stays cooked, as below a pipe for
// stdin, its own signal is the one that is passed on.
func TestWrapper06CookedCtrlC(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, [3]*os.File{openFile(t, os.DevNull)}, "rr", "kid", "signals")
	p.expect("ready")
	p.type_("\x03")
	p.expect("SIGINT")
	p.signal(syscall.SIGUSR1)
	if got := p.expect("SIGUSR1"); strings.Contains(got, "SIGINT") {
		t.Errorf("Ctrl-C arrived more than once: %q", got)
	}
	p.signal(syscall.SIGTERM)
	p.wait()
}

func TestWrapper06EachSignalOnce(t *testing.T) {
	t.Parallel()
	p := onPipes(t, "rr", "kid", "signals")
	p.expect("ready\n")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR2} {
		p.signal(sig)
		p.expect(unix.SignalName(sig) + "\n")
		p.signal(syscall.SIGUSR1)
		if got := p.expect("SIGUSR1\n"); got != "" {
			t.Errorf("after %v: %q", sig, got)
		}
	}
	p.signal(syscall.SIGTERM)
	p.expect("SIGTERM\n")
	if ws := p.wait(); ws.ExitStatus() != 0 {
		t.Errorf("status %v, want the child's 0", ws)
	}
}

// TestStoppedAndContinuedAtOnce: who lets us go on while we are about to stop with
// the child does it only once.
func TestStoppedAndContinuedAtOnce(t *testing.T) {
	t.Parallel()
	p, us := showsSignals(t, "job")
	child := childOf(t, childOf(t, us))
	for range 3 { // we take a while to stop
		syscall.Kill(child, syscall.SIGSTOP)
		eventually(t, "the child stops", func() bool {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
			return strings.Contains(string(stat), ") T ") || runtime.GOOS != "linux" && strings.HasPrefix(stateOf(child), "T")
		})
		syscall.Kill(us, syscall.SIGCONT)
		p.expect("SIGCONT")
		time.Sleep(50 * time.Millisecond) // where it is too short the test shows less, and fails no more
		syscall.Kill(us, syscall.SIGUSR1)
		p.expect("SIGUSR1")
	}
	syscall.Kill(us, syscall.SIGTERM)
	p.expect("SIGTERM")
}

// TestEarlySignal: one that comes when there is no child yet is for the child.
func TestEarlySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGSEGV} {
		null := openFile(t, os.DevNull)
		s := stageIn(t, Config{Stdout: null, Stderr: null})
		s.handle(sig)
		c, err := s.start(childSpec{argv: []string{"sh", "-c", "ulimit -c 0; exec sleep 1000"}, env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		if end := c.wait(); end.Signal != sig {
			t.Errorf("ended by %v, want %v", end.Exit, sig)
		}
	}
}

// TestSignalAtTheStart sends TERM at moments of the start: none is lost.
func TestSignalAtTheStart(t *testing.T) {
	t.Parallel()
	for i := range runs(100) {
		p := onTerminal(t, [3]*os.File{}, "rr", "sleep", "1000")
		time.Sleep(time.Duration(i) * 500 * time.Microsecond) // the moment is what is tested
		p.signal(syscall.SIGTERM)
		if ws := p.wait(); ws.Signal() != syscall.SIGTERM {
			t.Errorf("ended with %#x, want TERM", ws)
		}
		if isRaw(termiosOf(t, p.in)) {
			t.Error("the terminal is raw")
		}
	}
}

// TestWrapper06EverySignal: what would have ended the command ends it, and us.
func TestWrapper06EverySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range forwarded {
		if runtime.GOOS != "linux" && sig == syscall.SIGIO {
			continue // ignored by default there
		}
		p := onPipes(t, "rr", "sh", "-c", "ulimit -c 0; echo pid=$$; exec sleep 1000")
		child := p.expectInt("pid")
		p.signal(sig.(syscall.Signal))
		if ws := p.wait(); !ws.Signaled() || ws.Signal() != sig || ws.CoreDump() {
			t.Errorf("%v: ended with %#x, want that signal and no core", sig, ws)
		}
		eventually(t, "the child ends", func() bool { return !alive(child) })
	}
}

// TestStoppedAlone: without a shell's job control a child that stops is only
// itself stopped, and whoever continues us continues it.
func TestStoppedAlone(t *testing.T) {
	t.Parallel()
	p := onPipes(t, "rr", "sh", "-c", "echo pid=$$; kill -STOP $$; echo again; kill -STOP $$; sleep 1000")
	pid := p.expectInt("pid")
	stopped := func() bool { return strings.HasPrefix(stateOf(pid), "T") }
	eventually(t, "the child stops", stopped)
	p.signal(syscall.SIGCONT)
	p.expect("again")
	eventually(t, "the child stops again", stopped)
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGCONT)
	if got := shellStatus(p.wait()); got != 143 {
		t.Errorf("status %d, want 143; output %q", got, p.text())
	}
}

func TestWrapper08ExitStatus(t *testing.T) {
	t.Parallel()
	for code := range 256 {
		if res := runIn(t, Config{}, "sh", "-c", fmt.Sprint("exit ", code)); res.Exit != (Exit{Code: code}) {
			t.Errorf("exit %d: got %+v", code, res.Exit)
		}
	}
}

func TestWrapper08DeathBySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS,
		syscall.SIGFPE, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGSEGV, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM,
		syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGVTALRM, syscall.SIGPROF, syscall.SIGSYS,
	} {
		for _, mode := range []string{"auto", "always"} {
			dir := t.TempDir()
			cmd := exec.Command("sh", "-c", fmt.Sprintf("cd %s && ulimit -c unlimited; exec rr -pty %s sh -c 'ulimit -c 0; kill -%d $$'", dir, mode, sig))
			cmd.Run()
			ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !ws.Signaled() || ws.Signal() != sig || ws.CoreDump() {
				t.Errorf("--pty %s, %v: ended with %#x, want that signal and no core", mode, sig, ws)
			}
		}
	}
}
