package supervisor

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWrapper17FirstProcess: as PID 1 of a PID namespace it reaps the orphans.
func TestWrapper17FirstProcess(t *testing.T) {
	t.Parallel()
	probe := exec.Command("unshare", "-Urpf", "--mount-proc", "true")
	if err := probe.Run(); err != nil {
		t.Skipf("no PID namespaces here: %v", err)
	}
	p := onPipes(t, "unshare", "-Urpf", "--mount-proc", "rr", "sh", "-c",
		`for i in 1 2 3 4 5 6 7 8; do sh -c 'sh -c ":" & exit 0'; done
		n=0; while ps -e -o stat= | grep -q Z && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.05; done
		ps -e -o stat=,comm= | grep Z; echo "pid of rr: $PPID"; exit 9`)
	got := p.expect("pid of rr: 1\n")
	if strings.Contains(got, "Z") {
		t.Errorf("zombies: %q", got)
	}
	if ws := p.wait(); ws.ExitStatus() != 9 {
		t.Errorf("status %v, want 9", ws)
	}
}

// ignoredTests are signals that the caller ignores, and those of them that are
// ignored in the child. For the rest the Go runtime gives us a handler before there
// is any code of ours, and keeps no trace of what was there.
var ignoredTests = []struct{ signals, kept string }{
	{"HUP", "HUP"},           // nohup
	{"INT QUIT", "INT QUIT"}, // a shell's background command
	{"INT", "INT QUIT"},
	{"TSTP TTIN TTOU", "TSTP TTIN TTOU"},
	{"CONT", "CONT"},
	{"QUIT", ""},
	{"TERM", ""},
	{"USR1 USR2 ALRM PIPE", ""},
	{"CHLD WINCH URG XCPU XFSZ VTALRM PROF IO PWR SYS", ""},
	{"HUP INT QUIT TERM USR1 USR2 ALRM PIPE CHLD CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS",
		"HUP INT QUIT CONT TSTP TTIN TTOU"},
}

// TestWrapper24Ignored: what the caller ignores stays ignored for the child, where
// that can be known.
func TestWrapper24Ignored(t *testing.T) {
	t.Parallel()
	base := ignoredMask(t, shell(t, "grep SigIgn /proc/self/status"))
	for _, tt := range ignoredTests {
		for _, mode := range []string{"auto", "always"} {
			got := ignoredMask(t, shell(t, "trap '' "+tt.signals+"; rr -pty "+mode+" grep SigIgn /proc/self/status"))
			if want := base | maskOf(tt.kept); got != want {
				t.Errorf("trap '' %s, --pty %s: ignored %x, want %x (%s)", tt.signals, mode, got, want, tt.kept)
			}
		}
	}
}

// TestWrapper24IgnoredBelowMonitor: the same where a job-control shell may stop us.
func TestWrapper24IgnoredBelowMonitor(t *testing.T) {
	for _, tt := range ignoredTests[:3] {
		p := onTerminal(t, [3]*os.File{}, "bash", "-c", "set -m; trap '' "+tt.signals+"; rr grep SigIgn /proc/self/status; echo over")
		if got, want := ignoredMask(t, p.expect("over\r\n")), maskOf(tt.kept); got&want != want {
			t.Errorf("trap '' %s: ignored %x, want %x (%s)", tt.signals, got, want, tt.kept)
		}
		p.wait()
	}
}

// ignoredMask reads the line of /proc/PID/status.
func ignoredMask(t *testing.T, line string) uint64 {
	t.Helper()
	_, hex, _ := strings.Cut(strings.TrimSpace(line), ":\t")
	mask, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return mask
}

func maskOf(names string) (mask uint64) {
	for _, name := range strings.Fields(names) {
		mask |= 1 << (unix.SignalNum("SIG"+name) - 1)
	}
	return mask
}

// TestWrapper24IgnoredIsNotForwarded: the child does not even get it.
func TestWrapper24IgnoredIsNotForwarded(t *testing.T) {
	p := onPipes(t, "sh", "-c", "trap '' HUP; exec rr kid signals")
	p.expect("ready\n")
	p.signal(syscall.SIGHUP)
	p.signal(syscall.SIGUSR1)
	if got := p.expect("SIGUSR1\n"); got != "" {
		t.Errorf("an ignored HUP was passed on: %q", got)
	}
	p.signal(syscall.SIGTERM)
	p.wait()
}
