package supervisor

import (
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// leavesTests are commands that read all, some or nothing of a pipe. What they
// leave is the shell's.
var leavesTests = []struct{ name, script string }{
	{"a loop whose command reads nothing", "seq 3 | while read -r l; do %s true; echo $l; done"},
	{"a loop whose command lives on", "seq 3 | while read -r l; do %s sleep 0.1; echo $l; done"},
	{"a loop whose command closes its stdin", "seq 3 | while read -r l; do %s sh -c 'exec <&-; sleep 0.1'; echo $l; done"},
	{"the first line is the command's", "seq 3 | { %s sh -c 'read -r l; echo it $l'; cat; }"},
	{"every other line is the command's", "seq 6 | while read -r l; do %s sh -c 'read -r l; echo it $l'; echo $l; done"},
	{"more than a piece", "seq 100000 | { %s dd bs=1000 count=57 iflag=fullblock status=none | sha256sum; sha256sum; }"},
	{"all", "seq 100000 | { %s sha256sum; cat; }"},
	{"small pieces", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; done | { %s head -c 7; cat; }"},
	{"no end in sight", "mkfifo fifo; exec 3<>fifo; %s true <&3; echo over"},
}

// TestLeaves: what the command does not read stays where it is.
func TestLeaves(t *testing.T) {
	for _, tt := range leavesTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := func(prefix string) string {
				return shell(t, "cd "+t.TempDir()+" && "+fmt.Sprintf(tt.script, prefix))
			}
			if got, want := run("rr"), run("env"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestLeavesOfSocket: what node and others give their children.
func TestLeavesOfSocket(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer theirs.Close()
	ours.WriteString("one\ntwo\nthree\n")
	ours.Close()
	o := newOutlet(t, false)
	runIn(t, Config{Stdin: theirs, Stdout: o.file, Circuit: &anyModel{}}, "sh", "-c", "read -r a; echo got $a")
	if got := string(o.close()); got != "got one\n" {
		t.Errorf("the command said %q", got)
	}
	rest, err := io.ReadAll(theirs)
	if string(rest) != "two\nthree\n" || err != nil {
		t.Errorf("left: %q, %v; want the lines it did not read", rest, err)
	}
}

// TestLeavesOfRetry: of the second run, too, which first gets what was recorded.
func TestLeavesOfRetry(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	blocking(r)
	w.WriteString("one\ntwo\nthree\nfour\n")
	w.Close()
	out := openFile(t, t.TempDir()+"/out")
	s := stageIn(t, Config{Stdin: r, Stdout: out, Stderr: out, Circuit: &anyModel{}})
	for _, script := range []string{"read -r a; read -r b; echo $a $b", "read -r a; echo $a", "read -r a; read -r b; read -r c; echo $a $b $c"} {
		c, err := s.start(childSpec{argv: []string{"sh", "-c", script}, env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		c.wait()
	}
	if got, _ := os.ReadFile(out.Name()); string(got) != "one two\none\none two three\n" {
		t.Errorf("the runs said %q", got)
	}
	if rest, err := io.ReadAll(r); string(rest) != "four\n" || err != nil {
		t.Errorf("left: %q, %v; want the line that no run has read", rest, err)
	}
}
