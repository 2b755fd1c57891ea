//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWrapper04Descriptors: the child has 0, 1 and 2 and what the caller meant
// for it, such as the 5 here.
func TestWrapper04Descriptors(t *testing.T) {
	const fds = " kid fds 57</dev/null | cat"
	want := shell(t, fds) // those that the caller of the tests left open are in both
	for _, mode := range []string{"auto", "always"} {
		if got := shell(t, "rr -pty "+mode+fds); got != want {
			t.Errorf("--pty %s: the child has the descriptors %q, want %q", mode, got, want)
		}
		if got := shell(t, "echo x | rr -pty "+mode+fds); got != want {
			t.Errorf("--pty %s, a piped stdin: the child has the descriptors %q, want %q", mode, got, want)
		}
	}
	p := interactiveShell(t)
	p.type_("kid fds 57</dev/null\r")
	p.expect("/dev/null\r\n")
	want = p.expect("\r\n")
	p.expect("PROMPT>")
	p.type_("rr kid fds 57</dev/null\r")
	p.expect("/dev/null\r\n")
	if got := p.expect("\r\n"); got != want {
		t.Errorf("under a shell: the child has the descriptors %q, want %q", got, want)
	}
}

// familyScript reports its own pid and those of a child in its group
// and of one below that: what a launcher starts.
const familyScript = `sh -c 'sh -c "echo grandchild=\$\$; exec sleep 1000" & echo child=$$; wait' & echo top=$$; wait`

var familyNames = []string{"grandchild", "child", "top"}

func (p *proc) familyPids() (pids []int) {
	p.t.Helper()
	seen := map[string]int{}
	for len(seen) < len(familyNames) {
		line := strings.TrimSpace(p.expect("\n"))
		for _, name := range familyNames {
			if n, ok := strings.CutPrefix(line, name+"="); ok {
				var pid int
				fmt.Sscan(n, &pid)
				seen[name] = pid
			}
		}
	}
	for _, pid := range seen {
		pids = append(pids, pid)
	}
	p.t.Cleanup(func() {
		for _, pid := range pids {
			if alive(pid) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return pids
}

func expectGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d of the family ends", pid), func() bool { return !alive(pid) })
	}
}

// startFamily starts the family below rr, in each of the ways of the output.
func startFamily(t *testing.T, wiring, script string) *proc {
	switch wiring {
	case "pipe":
		return onPipes(t, "rr", "sh", "-c", script)
	case "pty":
		return onPipes(t, "rr", "-pty", "always", "sh", "-c", script)
	case "terminal":
		return onTerminal(t, [3]*os.File{}, "rr", "sh", "-c", script)
	}
	p := interactiveShell(t)
	script = strings.ReplaceAll(script, "'", `'\''`)
	p.type_("rr sh -c '" + script + "'\r")
	p.expect("\n")
	return p
}

// us is the process of rr.
func (p *proc) us(wiring string) int {
	if wiring == "job" {
		return childOf(p.t, p.cmd.Process.Pid)
	}
	return p.cmd.Process.Pid
}

var familyWirings = []string{"pipe", "pty", "terminal", "job"}

func TestWrapper04KillTakesTheWholeTree(t *testing.T) {
	for _, wiring := range familyWirings {
		for name, script := range map[string]string{"default": familyScript, "ignored": "trap '' HUP TERM; " + familyScript} {
			t.Run(wiring+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := startFamily(t, wiring, script)
				pids := p.familyPids()
				syscall.Kill(p.us(wiring), syscall.SIGKILL)
				expectGone(t, pids)
			})
		}
	}
}

func TestWrapper06CtrlCArrivesOnce(t *testing.T) {
	t.Parallel()
	for _, wiring := range []string{"terminal", "job"} {
		p := onTerminal(t, [3]*os.File{}, "rr", "kid", "signals")
		if wiring == "job" {
			p = interactiveShell(t)
			p.type_("rr kid signals\r")
		}
		p.expect("ready")
		us := p.us(wiring)
		for range 3 {
			p.type_("\x03")
			p.expect("SIGINT")
			syscall.Kill(us, syscall.SIGUSR1) // would come after a second one
			if got := p.expect("SIGUSR1"); strings.Contains(got, "SIGINT") {
				t.Errorf("%s: Ctrl-C arrived more than once: %q", wiring, got)
			}
		}
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

func TestWrapper07TheTreeIsEnded(t *testing.T) {
	for _, wiring := range familyWirings {
		t.Run(wiring, func(t *testing.T) {
			t.Parallel()
			p := startFamily(t, wiring, familyScript)
			pids := p.familyPids()
			syscall.Kill(p.us(wiring), syscall.SIGTERM)
			expectGone(t, pids)
			if wiring == "job" {
				return
			}
			if got := shellStatus(p.wait()); got != 143 {
				t.Errorf("status %d, want 143", got)
			}
		})
	}
}

// TestWrapper07KilledAfterTheGrace: who ignores TERM, also behind a launcher
// that does not, is killed.
func TestWrapper07KilledAfterTheGrace(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		want   int
	}{
		"child":      {`trap "" TERM; ` + familyScript, 137},
		"grandchild": {`sh -c "trap '' TERM; echo grandchild=\$\$; sleep 1000; sleep 1000" & echo child=$!; echo top=$$; wait`, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := onPipes(t, "rr", "-grace", "100ms", "sh", "-c", tt.script)
			pids := p.familyPids()
			p.signal(syscall.SIGTERM)
			if got := shellStatus(p.wait()); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
			expectGone(t, pids)
		})
	}
}

// TestStop ends a child on our own account, as after a limit.
func TestStop(t *testing.T) {
	t.Parallel()
	s := stageIn(t, Config{Stdout: openFile(t, os.DevNull), Stderr: openFile(t, os.DevNull)})
	for _, script := range []string{"sleep 1000", "sleep 1000 & sleep 1000"} {
		c, err := s.start(childSpec{argv: []string{"sh", "-c", script}, env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		c.stop()
		c.stop()
		end := c.wait()
		if !end.byUs || end.Signal != syscall.SIGTERM || end.interrupted != nil {
			t.Errorf("%s: end = %+v, want TERM, by us", script, end)
		}
		if groupLives(c.pid()) {
			t.Errorf("%s: something of the group is left", script)
		}
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
		t.Errorf("status %d, want 143", got)
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

func TestWrapper09NotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		if err := os.WriteFile(dir+"/"+name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	plain := write("plain", "echo", 0o644)
	binary := write("binary", "\x01\x00\x02\x00", 0o755)
	script := write("script", "echo no shebang; exit 6", 0o755)
	lost := write("lost", "#!/no/such/interpreter\n", 0o755)
	for _, tt := range []struct {
		name, command string
		status        int
		line          string // "" = the command runs
	}{
		{"bare name", "no-such-command", 127, "rr: run no-such-command: command not found\n"},
		{"path", "./no-such-command", 127, "rr: run ./no-such-command: no such file or directory\n"},
		{"empty name", "''", 127, "rr: run : command not found\n"},
		{"not executable", plain, 126, "rr: run " + plain + ": permission denied\n"},
		{"not executable, in PATH", "PATH=" + dir + ":$PATH; plain", 126, "rr: run plain: permission denied\n"},
		{"a folder", dir, 126, "rr: run " + dir + ": is a directory\n"},
		{"wrong format", binary, 126, "rr: run " + binary + ": exec format error\n"},
		{"no interpreter", lost, 127, "rr: run " + lost + ": no such file or directory\n"},
		{"script without #!", script, 6, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, command, ok := strings.Cut(tt.command, "; ")
			if !ok {
				set, command = ":", set
			}
			got := shell(t, set+"; rr "+command+" 2>&1; echo $?")
			want := tt.line + fmt.Sprintln(tt.status)
			if tt.line == "" {
				want = "no shebang\n" + want
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestNotStartedUnderAShell: the monitor reports the same.
func TestNotStartedUnderAShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	os.WriteFile(dir+"/binary", []byte("\x01\x00"), 0o755)
	p := interactiveShell(t)
	p.type_("rr " + dir + "/binary; echo status''=$?\r")
	p.expect("exec format error")
	if got := p.expectInt("status"); got != 126 {
		t.Errorf("status %d, want 126", got)
	}
}

func TestWrapper17NoZombies(t *testing.T) {
	t.Parallel()
	for range 50 {
		runIn(t, Config{}, "sh", "-c", "true & exit 0")
	}
	p := onPipes(t, "sh", "-c", "for i in 1 2 3 4 5; do rr true; done; ps -o stat= --ppid $$; echo end")
	if got := p.expect("end"); strings.Contains(got, "Z") {
		t.Errorf("zombies: %q", got)
	}
}

// TestWrapper24Surroundings: all else that a process inherits.
func TestWrapper24Surroundings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const show = "env | grep -v ^RALPH_RUN | grep -v ^COPILOT_MODEL | grep -v ^_= | grep -v ^SHLVL= | sort; pwd; umask; ulimit -a"
	setup := "cd " + dir + "; umask 027; ulimit -n 300; ulimit -c 0; export LANG=C LC_ALL=C TZ=Asia/Tokyo WEIRD='a\nb=c'; "
	want := shell(t, setup+"sh -c '"+show+"'")
	for _, mode := range []string{"auto", "always"} {
		if got := shell(t, setup+"rr -pty "+mode+" sh -c '"+show+"' | cat"); got != want {
			t.Errorf("--pty %s: got\n%s\nwant\n%s", mode, got, want)
		}
	}
}
