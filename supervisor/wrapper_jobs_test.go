//go:build unix

package supervisor

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// An interactive shell on a terminal of its own.
func interactiveShell(t *testing.T) *proc {
	t.Helper()
	p := onTerminal(t, [3]*os.File{}, "env", "PS1=PROMPT>", "TERM=dumb", "bash", "--norc", "--noprofile", "--noediting", "-i")
	p.expect("PROMPT>")
	return p
}

func TestWrapper15CtrlZ(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("rr kid signals\r")
	p.expect("ready")
	child := childOf(t, childOf(t, childOf(t, p.cmd.Process.Pid)))
	p.type_("\x1a")
	p.expect("SIGTSTP") // this child catches it and goes on
	p.type_("\x03")
	p.expect("SIGINT")
	syscall.Kill(child, syscall.SIGSTOP) // as it does when it has put its screen away
	p.expect("Stopped")
	p.expect("PROMPT>")
	if isRaw(termiosOf(t, p.in)) {
		t.Error("the terminal is raw while we are stopped")
	}
	p.type_("fg\r")
	p.expect("SIGCONT")
	eventually(t, "raw mode after fg", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("\x03")
	p.expect("SIGINT")
	p.type_("\x1c")
	p.expect("SIGQUIT")
	syscall.Kill(child, syscall.SIGTERM)
	p.expect("SIGTERM")
	p.expect("PROMPT>")
}

// awaitStopped waits until the shell says that its job has stopped.
func awaitStopped(p *proc) {
	p.t.Helper()
	eventually(p.t, "the job has stopped", func() bool {
		p.type_("jobs; echo list''ed\r")
		return strings.Contains(p.expect("listed\r\n"), "Stopped")
	})
}

// TestWrapper15CtrlZDefault stops a child that does not catch it, moves it to
// the background and back.
func TestWrapper15CtrlZDefault(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("rr sh -c 'echo begin; read x; echo got:$x; read y; echo got:$y'\r")
	p.expect("begin\r\n")
	p.type_("\x1a")
	p.expect("Stopped")
	p.expect("PROMPT>")
	if runtime.GOOS == "linux" {
		p.type_("echo status''=$?\r")
		if got, want := p.expectInt("status"), 128+int(syscall.SIGTSTP); got != want {
			t.Errorf("the shell sees status %d, want that of TSTP, %d", got, want)
		}
	}
	p.type_("bg\r") // it wants to read: it must stop again, and not take the shell's keys
	p.expect("PROMPT>")
	awaitStopped(p)
	p.type_("fg\r")
	eventually(t, "raw mode after fg", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("one\r")
	p.expect("got:one")
	p.type_("two\r")
	p.expect("got:two")
	p.expect("PROMPT>")
	p.type_("echo status''=$?\r")
	if got := p.expectInt("status"); got != 0 {
		t.Errorf("status %d, want 0", got)
	}
}

func TestWrapper15StartedInTheBackground(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("rr sh -c 'echo out; read x; echo got:$x' &\r")
	p.expect("out\r\n")
	awaitStopped(p)
	if isRaw(termiosOf(t, p.in)) {
		t.Error("the terminal is raw for a background job")
	}
	p.type_("fg\r")
	eventually(t, "raw mode after fg", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("hello\r")
	p.expect("got:hello")
	p.expect("PROMPT>")
}

// TestWrapper15StartedWhileTheShellEdits: the terminal is the line editor's when
// the job begins, and as the job needs it only when it comes to the foreground.
func TestWrapper15StartedWhileTheShellEdits(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, [3]*os.File{}, "env", "PS1=PROMPT>", "TERM=dumb", "bash", "--norc", "--noprofile", "-i")
	p.expect("PROMPT>")
	p.type_("{ sleep 0.3; exec rr sh -c 'echo out; read x; echo got:$x'; } &\r")
	p.expect("out\r\n")
	awaitStopped(p)
	p.type_("fg\r")
	eventually(t, "raw mode after fg, not the editor's", func() bool { return termiosOf(t, p.in).Oflag&unix.OPOST == 0 })
	p.type_("hello\r")
	p.expect("got:hello")
	p.expect("PROMPT>")
}

// TestWrapper15CookedAtAStop: below a shell that does not itself put the terminal
// back, as others do.
func TestWrapper15CookedAtAStop(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dash"); err != nil {
		t.Skip("no dash here, and other shells would hide the fault")
	}
	p := onTerminal(t, [3]*os.File{}, "env", "PS1=PROMPT>", "TERM=dumb", "dash", "-i")
	p.expect("PROMPT>")
	p.type_("rr sh -c 'echo begin; read x; echo got:$x'\r")
	p.expect("begin\r\n")
	p.type_("\x1a")
	p.expect("PROMPT>")
	if isRaw(termiosOf(t, p.in)) {
		t.Error("the terminal is raw while we are stopped")
	}
	p.type_("fg\r")
	eventually(t, "raw mode after fg", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("one\r")
	p.expect("got:one")
	p.expect("PROMPT>")
}

// TestWrapper15StopAndContinueUs: kill -STOP and -CONT on the program itself.
func TestWrapper15StopAndContinueUs(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("rr kid signals\r")
	p.expect("ready")
	us := childOf(t, p.cmd.Process.Pid)
	syscall.Kill(us, syscall.SIGSTOP)
	p.expect("Stopped")
	p.expect("PROMPT>")
	p.type_("fg\r")
	p.expect("SIGCONT")
	eventually(t, "raw mode after fg", func() bool { return isRaw(termiosOf(t, p.in)) })
	syscall.Kill(us, syscall.SIGTSTP)
	p.expect("SIGTSTP")
	syscall.Kill(us, syscall.SIGTERM)
	p.expect("SIGTERM")
	p.expect("PROMPT>")
	if isRaw(termiosOf(t, p.in)) {
		t.Error("the terminal stays raw")
	}
}

// TestPipelineLeavesTheKeyboard: in the middle of a pipe the keyboard may be the
// other command's, until the child asks for it.
func TestPipelineLeavesTheKeyboard(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("rr kid wait | { read l; echo $l; read k </dev/tty; echo other:$k; }\r")
	p.expect("ready\r\n")
	if isRaw(termiosOf(t, p.in)) {
		t.Error("the terminal is raw although the child did not ask for the keyboard")
	}
	p.type_("mine\r")
	p.expect("other:mine")
	p.type_("\x03") // for everybody in the pipe
	p.expect("PROMPT>")
	p.type_("rr sh -c 'read k; echo child:$k' | cat\r")
	eventually(t, "raw mode as the child reads", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("yours\r")
	p.expect("child:yours")
	p.expect("PROMPT>")
}

// TestCtrlCEndsALoop: the key for INT is for the shell script around us, too.
func TestCtrlCEndsALoop(t *testing.T) {
	t.Parallel()
	p := interactiveShell(t)
	p.type_("bash -c 'while :; do echo rou\"\"nd; rr cat; done'\r")
	p.expect("round\r\n")
	p.type_("x\r")
	p.expect("x\r\nx\r\n")
	p.type_("\x03")
	if got := p.expect("PROMPT>"); strings.Contains(got, "round") {
		t.Errorf("the loop went on: %q", got)
	}
	p.type_("echo status''=$?\r")
	if got := p.expectInt("status"); got != 130 {
		t.Errorf("status %d, want 130", got)
	}
}
