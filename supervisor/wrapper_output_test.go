//go:build unix

package supervisor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// wirings are the ways of the output: to a pipe, to a pipe through a pty, to a
// terminal.
var wirings = []struct {
	name     string
	pty      PTYMode
	terminal bool
}{
	{"pipe", PTYAuto, false},
	{"pty", PTYAlways, false},
	{"terminal", PTYAuto, true},
}

// runs is a count of repetitions, fewer in a short run.
func runs(n int) int {
	if testing.Short() {
		return max(1, n/10)
	}
	return n
}

// A digest is what can be kept of a huge output.
type digest struct {
	hash.Hash
	size int
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	d.size += len(p)
	return d.Hash.Write(p)
}

func (d *digest) String() string { return fmt.Sprintf("%d bytes, %x", d.size, d.Sum(nil)) }

// numbered is a text whose first lines are numbered: not one of them may be lost
// or come in another place. The many that follow cost the detector less alike.
func numbered(size int) []byte {
	var text []byte
	for n := range 2000 {
		text = fmt.Appendf(text, "line %d\n", n)
	}
	text = append(text, bytes.Repeat([]byte("xxxxxxx\n"), size/8)...)
	return text[:size]
}

func TestWrapper01OutputAtExit(t *testing.T) {
	for _, tt := range wirings {
		for size, n := range map[int]int{20 << 10: runs(200), 50 << 20: 2} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, size), func(t *testing.T) {
				t.Parallel()
				text := numbered(size)
				file := t.TempDir() + "/text"
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
				if tt.terminal {
					text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
				}
				want := newDigest()
				want.Write(text)
				for range n {
					var o outlet
					got := newDigest()
					o.open(t, tt.terminal, got)
					res := runIn(t, Config{PTY: tt.pty, Stdout: o.file}, "sh", "-c", "cat "+file+"; exit 5")
					o.close()
					if got.String() != want.String() || res.Exit != (Exit{Code: 5}) {
						t.Fatalf("%v arrived and %+v, want %v and status 5", got, res.Exit, want)
					}
				}
			})
		}
	}
}

func TestWrapper02EndOfPTYIsNoError(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, [3]*os.File{}, "rr", "sh", "-c", "echo hi; exit 4")
	if ws := p.wait(); ws.ExitStatus() != 4 {
		t.Errorf("status %d, want 4", ws.ExitStatus())
	}
	p.in.Close()
	<-p.eof
	if got := p.text(); got != "hi\r\n" {
		t.Errorf("output %q, want only hi", got)
	}
}

func TestWrapper03GrandchildHoldsTheOutput(t *testing.T) {
	for _, tt := range wirings {
		for name, background := range map[string]string{
			"default":     "sleep 90 &",
			"own session": "setsid sh -c 'trap \"\" HUP; sleep 90' &",
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := newOutlet(t, tt.terminal)
				start := time.Now()
				res := runIn(t, Config{PTY: tt.pty, Stdout: o.file}, "sh", "-c", background+" echo hi; exit 3")
				took := time.Since(start)
				got := strings.TrimRight(string(o.close()), "\r\n")
				if got != "hi" || res.Exit != (Exit{Code: 3}) {
					t.Errorf("output %q and %+v, want hi and status 3", got, res.Exit)
				}
				if took > enough { // the sleep is longer
					t.Errorf("took %v: the grandchild was waited for", took)
				}
			})
		}
	}
}

func TestWrapper13CapturedOutputIsClean(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"auto", "always"} {
		t.Run(mode, func(t *testing.T) {
			err := t.TempDir() + "/err"
			if got := shell(t, "rr -pty "+mode+` sh -c 'printf "a\nb\n"; echo e >&2' 2>`+err+" | cat"); got != "a\nb\n" {
				t.Errorf("stdout: got %q", got)
			}
			if got, _ := os.ReadFile(err); string(got) != "e\n" {
				t.Errorf("stderr: got %q", got)
			}
			order := shell(t, "rr -pty "+mode+` sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done' 2>&1 | cat`)
			if want := "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\no6\ne6\no7\ne7\no8\ne8\no9\ne9\n"; order != want {
				t.Errorf("2>&1: got %q, want %q", order, want)
			}
		})
	}
}

func TestWrapper18ClosedStdout(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"auto", "always"} {
		got := shell(t, "rr -pty "+mode+" yes | head -1; echo ${PIPESTATUS[0]}")
		if got != "y\n141\n" {
			t.Errorf("--pty %s: got %q, want y and 141 (SIGPIPE)", mode, got)
		}
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	got := shell(t, "rr sh -c 'trap \"\" PIPE; while :; do echo x; sleep 0.01; done' >/dev/full; echo $?")
	if !strings.Contains(got, "no space left on device") || !strings.HasSuffix(got, "\n125\n") {
		t.Errorf("got %q, want the error, and the child ended", got)
	}
}

// TestWrapper19SlowReader has a reader that takes nothing until long after all
// deadlines of the draining: they must not cut the output, nor may it be kept in
// memory meanwhile. The small one is more than the pipe to the reader and our own
// piece hold, and less than those and the child's pipe, so the child ends before it
// is read.
func TestWrapper19SlowReader(t *testing.T) {
	t.Parallel()
	const small, large = 134 << 10, 20 << 20
	dir := t.TempDir()
	var runs []*slowRun
	for _, tt := range wirings {
		for _, size := range []int{small, large} {
			r := startSlow(t, Config{PTY: tt.pty}, tt.terminal, size, fmt.Sprintf("%s/%s-%d", dir, tt.name, size))
			r.name = fmt.Sprintf("%s/%d", tt.name, size)
			runs = append(runs, r)
		}
	}
	time.Sleep(10 * time.Second) // the reader's pause: it is what is tested
	for _, r := range runs {
		_, err := os.Stat(r.written)
		if r.size == large && err == nil {
			t.Errorf("%s: all of it has been taken from the child, but not by the reader", r.name)
		}
		got, _ := io.Copy(io.Discard, struct{ io.Reader }{r.from}) // a pty ends with EIO
		if res := <-r.done; got != int64(r.size) || res.Exit != (Exit{Code: 4}) {
			t.Errorf("%s: %d bytes arrived and %+v, want all, and status 4", r.name, got, res.Exit)
		}
		r.from.Close()
	}
}

// A slowRun is a run whose output nobody has begun to read.
type slowRun struct {
	name    string
	size    int
	from    *os.File
	written string // a file that the child makes when it has written everything
	done    chan Result
}

func startSlow(t *testing.T, cfg Config, terminal bool, size int, written string) *slowRun {
	from, to, err := os.Pipe()
	if terminal {
		from, to, err = newTerminal()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := &slowRun{size: size, from: from, written: written, done: make(chan Result, 1)}
	cfg.Stdout = to
	go func() {
		res := runIn(t, cfg, "sh", "-c", fmt.Sprintf("head -c %d /dev/zero; >%s; exit 4", size, written))
		to.Close()
		r.done <- res
	}()
	return r
}
