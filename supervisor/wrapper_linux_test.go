package supervisor

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestWrapper17FirstProcess: as PID 1 of a PID namespace it reaps the orphans.
func TestWrapper17FirstProcess(t *testing.T) {
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

// TestWrapper24Ignored: what the caller ignores stays ignored for the child.
func TestWrapper24Ignored(t *testing.T) {
	const mask = `sed -n 's/^SigIgn:\t//p' /proc/self/status`
	for _, set := range []string{"trap '' HUP", "trap '' INT QUIT", "trap '' TSTP TTIN TTOU"} {
		want := shell(t, set+"; "+mask)
		for _, mode := range []string{"auto", "always"} {
			got := shell(t, set+"; rr -pty "+mode+` sh -c "`+strings.ReplaceAll(mask, `\t`, `\\t`)+`" | cat`)
			if got != want {
				t.Errorf("%s, --pty %s: ignored %s, want %s", set, mode, got, want)
			}
		}
	}
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
