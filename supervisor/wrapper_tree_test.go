//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// familyScript reports its own pid and those of a child in its group
// and of one below that: what a launcher starts.
const familyScript = `sh -c 'sh -c "echo grandchild=\$\$; exec sleep 1000" & echo child=$$; wait' & echo top=$$; wait`

var familyNames = []string{"grandchild", "child", "top"}

func (p *proc) familyPids() []int {
	p.t.Helper()
	text := ""
	for range familyNames {
		text += p.expect("\n") + "\n"
	}
	return familyIn(p.t, text)
}

// familyIn returns the pids that the family has reported.
func familyIn(t *testing.T, text string) (pids []int) {
	t.Helper()
	for line := range strings.Lines(text) {
		var pid int
		name, n, _ := strings.Cut(strings.TrimSpace(line), "=")
		if _, err := fmt.Sscan(n, &pid); err != nil || !slices.Contains(familyNames, name) {
			t.Fatalf("the family said %q", text)
		}
		pids = append(pids, pid)
	}
	t.Cleanup(func() {
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
func startFamily(t *testing.T, wiring, script string, flags ...string) *proc {
	args := append(flags, "sh", "-c", script)
	switch wiring {
	case "pipe":
		return onPipes(t, "rr", args...)
	case "pty":
		return onPipes(t, "rr", append([]string{"-pty", "always"}, args...)...)
	case "terminal":
		return onTerminal(t, [3]*os.File{}, "rr", args...)
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
		for name, script := range map[string]string{
			"default":        familyScript,
			"ignored":        "trap '' HUP TERM; " + familyScript,
			"ignored by one": `sh -c "trap '' HUP TERM; echo grandchild=\$\$; sleep 1000; sleep 1000" & echo child=$!; echo top=$$; wait`,
		} {
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

func TestWrapper17NoZombies(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/pids"
	for range 50 {
		runIn(t, Config{}, "sh", "-c", "echo $$ >>"+file+"; true & exit 0")
	}
	pids, _ := os.ReadFile(file)
	if n := len(strings.Fields(string(pids))); n != 50 {
		t.Errorf("%d children, want 50", n)
	}
	left, _ := exec.Command("ps", "-o", "stat=", "-p", strings.Join(strings.Fields(string(pids)), ",")).Output()
	if strings.Contains(string(left), "Z") {
		t.Errorf("children that nobody has reaped: %q", left)
	}
	p := onPipes(t, "sh", "-c", "for i in 1 2 3 4 5; do rr true; done; ps -o stat= --ppid $$; echo end")
	if got := p.expect("end"); strings.Contains(got, "Z") {
		t.Errorf("zombies: %q", got)
	}
}
