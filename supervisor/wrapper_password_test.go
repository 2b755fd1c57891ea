//go:build unix

package supervisor

import (
	"os"
	"testing"
)

// TestWrapper15AsksOnTheTerminal has a child ask on /dev/tty, as git, ssh and
// sudo do for a password, while its stdin is something else: below a shell that
// has no job control, and with nobody around at all.
func TestWrapper15AsksOnTheTerminal(t *testing.T) {
	t.Parallel()
	const ask = "read in; read key </dev/tty; echo got:$in:$key"
	for name, around := range map[string][]string{
		"nobody": {"rr", "sh", "-c", ask},
		"shell":  {"bash", "-c", `rr sh -c "$0"; exit $?`, ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdin, prompt, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer prompt.Close()
			p := onTerminal(t, [3]*os.File{stdin}, around[0], around[1:]...)
			prompt.WriteString("data\n")
			eventually(t, "raw mode as the child reads", func() bool { return isRaw(termiosOf(t, p.in)) })
			p.type_("\x1a") // the kernel stops nothing that nobody can let go on
			p.type_("secret\r")
			p.expect("got:data:secret")
			if got := p.wait(); got != 0 {
				t.Errorf("ended with %v, want 0", got)
			}
			if isRaw(termiosOf(t, p.in)) {
				t.Error("the terminal stays raw")
			}
		})
	}
}

// TestPipelineWithoutAShell: also where no shell is around, the terminal is left
// as it is for the other command of a pipe until the child reads from it.
func TestPipelineWithoutAShell(t *testing.T) {
	t.Parallel()
	seen := t.TempDir() + "/seen"
	p := onTerminal(t, [3]*os.File{}, "bash", "-c",
		`rr sh -c 'echo one; until [ -e $0 ]; do sleep 0.01; done; read k; echo child:$k' $0 | cat; exit ${PIPESTATUS[0]}`, seen)
	p.expect("one\r\n")
	if err := os.WriteFile(seen, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "raw mode as the child reads", func() bool { return isRaw(termiosOf(t, p.in)) })
	p.type_("yours\r")
	p.expect("child:yours")
	if got := p.wait(); got != 0 {
		t.Errorf("ended with %v, want 0", got)
	}
}
