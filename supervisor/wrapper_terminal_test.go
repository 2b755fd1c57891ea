//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func termiosOf(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	tio, err := unix.IoctlGetTermios(descriptor(f), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	return *tio
}

func isRaw(tio unix.Termios) bool { return tio.Lflag&unix.ICANON == 0 }

var waysOut = []struct {
	name   string
	script string         // $0 is the file at whose sight rr panics
	signal syscall.Signal // to rr
	want   int            // what a shell shows
}{
	{name: "normal end", script: "echo ready; read x; exit 7", want: 7},
	{name: "child killed", script: "echo ready; read x; kill -KILL $$", want: 137},
	{name: "child killed by QUIT", script: "echo ready; read x; kill -QUIT $$", want: 131},
	{name: "TERM", script: "echo ready; exec cat", signal: syscall.SIGTERM, want: 143},
	{name: "INT", script: "echo ready; exec cat", signal: syscall.SIGINT, want: 130},
	{name: "HUP", script: "echo ready; exec cat", signal: syscall.SIGHUP, want: 129},
	{name: "QUIT", script: "echo ready; exec cat", signal: syscall.SIGQUIT, want: 131},
	{name: "USR1", script: "echo ready; exec cat", signal: syscall.SIGUSR1, want: 138},
	{name: "ALRM", script: "echo ready; exec cat", signal: syscall.SIGALRM, want: 142},
	{name: "XCPU", script: "echo ready; exec cat", signal: syscall.SIGXCPU, want: 152},
	{name: "SEGV", script: "echo ready; ulimit -c 0; exec cat", signal: syscall.SIGSEGV, want: 139},
	{name: "BUS", script: "echo ready; ulimit -c 0; exec cat", signal: syscall.SIGBUS, want: 128 + int(syscall.SIGBUS)},
	{name: "panic", script: "echo ready; read x; >$0; sleep 100", want: 2},
}

func TestWrapper05TerminalIsPutBack(t *testing.T) {
	for _, tt := range waysOut {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			crash := t.TempDir() + "/crash"
			p := onTerminal(t, [3]*os.File{}, "rr", "-crash", crash, "sh", "-c", tt.script, crash)
			before := cooked
			p.expect("ready\r\n")
			if tt.signal != 0 { // the shell is no longer between two commands
				p.type_("x\r")
				p.expect("x\r\nx\r\n")
			}
			if !isRaw(termiosOf(t, p.in)) {
				t.Error("the terminal is not raw while the child runs")
			}
			if tt.signal != 0 {
				p.signal(tt.signal)
			} else {
				p.type_("\r")
			}
			if got := shellStatus(p.wait()); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
			if after := termiosOf(t, p.in); after != before(t) {
				t.Errorf("termios before %+v\nafter %+v", before(t), after)
			}
			if flags, _ := unix.FcntlInt(uintptr(descriptor(p.in)), unix.F_GETFL, 0); flags&unix.O_NONBLOCK != 0 {
				t.Error("O_NONBLOCK is left on the terminal")
			}
		})
	}
}

// cooked returns the settings of a new terminal.
func cooked(t *testing.T) unix.Termios {
	master, slave, err := newTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	return termiosOf(t, slave)
}

func shellStatus(ws syscall.WaitStatus) int { return exitOf(ws).ShellCode() }

func TestWrapper05PipesStayBlocking(t *testing.T) {
	t.Parallel()
	got := shell(t, `kid nonblock | cat; echo x | rr kid nonblock 2>&1 | cat; rr kid nonblock </dev/null`)
	if got != "" {
		t.Errorf("non-blocking for the child: %q", got)
	}
	// The outer ones: rr shares them with what runs after it.
	got = shell(t, `{ rr true; kid nonblock; } 2>&1 | cat`)
	if got != "" {
		t.Errorf("left non-blocking: %q", got)
	}
}

// TestWrapper12EachStreamOnItsOwn runs test -t for all eight combinations of
// terminals.
func TestWrapper12EachStreamOnItsOwn(t *testing.T) {
	t.Parallel()
	for tty := range 8 {
		dir := t.TempDir()
		redirect := ""
		for fd, r := range []string{" <" + dir + "/in", " >" + dir + "/out", " 2>" + dir + "/err"} {
			if tty&(1<<fd) == 0 {
				redirect += r
			}
		}
		os.WriteFile(dir+"/in", nil, 0o600)
		probe := `exec 3>` + dir + `/probe; for fd in 0 1 2; do if test -t $fd; then r=is; else r=no; fi; echo $fd $r >&3; done`
		want := ""
		for fd := range 3 {
			want += fmt.Sprintf("%d %s\n", fd, map[bool]string{true: "is", false: "no"}[tty&(1<<fd) != 0])
		}
		p := onTerminal(t, [3]*os.File{}, "bash", "-c", "rr sh -c '"+probe+"'"+redirect+"; echo status=$? >/dev/tty")
		if got := p.expectInt("status"); got != 0 {
			t.Errorf("%03b: status %d: %s", tty, got, p.text())
		}
		p.wait()
		if got, _ := os.ReadFile(dir + "/probe"); string(got) != want {
			t.Errorf("terminals %03b: the child sees\n%swant\n%s", tty, got, want)
		}
	}
}

func TestWrapper12NoTerminalAtAll(t *testing.T) {
	t.Parallel()
	got := shell(t, `rr sh -c 'test -t 0 || test -t 1 || test -t 2; echo $?; stty 2>/dev/null; echo $?' </dev/null; echo $?`)
	if got != "1\n1\n0\n" {
		t.Errorf("got %q", got)
	}
}

func TestWrapper14WindowSize(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, [3]*os.File{}, "rr", "sh", "-c", "stty size; exec kid signals")
	p.expect("33 101\r\n")
	p.expect("ready")
	unix.IoctlSetWinsize(descriptor(p.tty), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	p.expect("SIGWINCH")
	p.signal(syscall.SIGUSR1) // comes after all that the resize caused
	if got := p.expect("SIGUSR1"); strings.Contains(got, "WINCH") {
		t.Errorf("the resize arrived more than once: %q", got)
	}
	p.signal(syscall.SIGTERM)
	p.wait()
}

func TestWrapper14SizeWithoutATerminal(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"": "24 80\n", "COLUMNS=132 LINES=50": "50 132\n"} {
		if got := shell(t, "env -u COLUMNS -u LINES "+env+" rr -pty always sh -c 'stty size <&1' | cat"); got != want {
			t.Errorf("%s: size %q, want %q", env, got, want)
		}
	}
}

// TestWrapper14ZeroSize: a terminal that says 0x0 gives the child 80x24.
func TestWrapper14ZeroSize(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, [3]*os.File{}, "sh", "-c", "stty rows 0 cols 0; exec env -u COLUMNS -u LINES rr stty size")
	p.expect("24 80\r\n")
	p.wait()
}

// TestWrapper16NoStraySignals starts a child many times that says if it gets a
// HUP or CONT.
func TestWrapper16NoStraySignals(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		for range runs(150) {
			o := newOutlet(t, terminal)
			runIn(t, Config{Stdin: o.file, Stdout: o.file, Stderr: o.file}, "sh", "-c",
				"trap 'echo stray HUP' HUP; trap 'echo stray CONT' CONT; trap 'echo stray WINCH' WINCH; /bin/true; echo ok")
			if got := strings.TrimRight(string(o.close()), "\r\n"); got != "ok" {
				t.Fatalf("terminal %v: got %q, want ok", terminal, got)
			}
		}
	}
}

// TestClosedTerminalIsNoHangUp: a child that closes its streams some time before
// it ends, or for good, does not die of that.
func TestClosedTerminalIsNoHangUp(t *testing.T) {
	t.Parallel()
	for _, tt := range wirings {
		o := newOutlet(t, tt.terminal)
		cfg := Config{PTY: tt.pty, Stdout: o.file}
		if tt.terminal {
			cfg.Stdin, cfg.Stderr = o.file, o.file
		}
		script := "echo one; exec <&- >&- 2>&-; sleep 0.2; exit 6"
		want := "one\n"
		if tt.pty == PTYAlways || tt.terminal {
			script = "echo one; exec <&- >&- 2>&-; sleep 0.2; echo two >/dev/tty; exit 6"
			want = "one\ntwo\n"
		}
		res := runIn(t, cfg, "sh", "-c", script)
		got := strings.ReplaceAll(string(o.close()), "\r", "")
		if got != want || res.Exit != (Exit{Code: 6}) {
			t.Errorf("%s: output %q and %+v, want %q and status 6", tt.name, got, res.Exit, want)
		}
	}
}
