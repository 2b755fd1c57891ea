//go:build unix

package supervisor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestWrapper10StdinArrives(t *testing.T) {
	t.Parallel()
	random := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{}).Read(random)
	inputs := map[string][]byte{
		"line":       []byte("x\n"),
		"no newline": []byte("abc"),
		"empty":      nil,
		"one line":   bytes.Repeat([]byte("a"), 10<<20),
		"binary":     random,
		"controls":   []byte("\x03\x04\x1a\x1c\x00\r\n\xff"),
	}
	for name, in := range inputs {
		file := t.TempDir() + "/in"
		if err := os.WriteFile(file, in, 0o600); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%x  -\n", sha256.Sum256(in))
		for _, mode := range []string{"auto", "always"} {
			for how, script := range map[string]string{
				"pipe": "cat " + file + " | rr -pty %s cat | sha256sum",
				"file": "rr -pty %s cat <" + file + " | sha256sum",
			} {
				if got := shell(t, fmt.Sprintf(script, mode)); got != want {
					t.Errorf("%s, %s, --pty %s: what came out differs from what went in", name, how, mode)
				}
			}
		}
	}
	for _, script := range []string{"rr cat </dev/null", "rr cat <&-", "rr -pty never cat </dev/null"} {
		if got := shell(t, script); got != "" {
			t.Errorf("%s: got %q, want nothing", script, got)
		}
	}
}

// TestWrapper10TypedStdin: the end of a typed stdin, and its echo, are the
// pty's.
func TestWrapper10TypedStdin(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"auto", "never"} {
		p := onTerminal(t, [3]*os.File{}, "rr", "-pty", mode, "cat")
		p.type_("one\r")
		p.expect("one\r\none\r\n")
		p.type_("\x04")
		if ws := p.wait(); ws.ExitStatus() != 0 {
			t.Errorf("--pty %s: status %v, want 0; output %q", mode, ws, p.text())
		}
	}
}

func TestWrapper11StdinThatNeverEnds(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	blocking(r)
	for _, mode := range []PTYMode{PTYAuto, PTYAlways} {
		if res := runIn(t, Config{Stdin: r, PTY: mode}, "sh", "-c", "exit 3"); res.Exit != (Exit{Code: 3}) {
			t.Errorf("--pty %s: %+v", mode, res.Exit)
		}
	}
	// And what was sent is there at once, although no end follows.
	w.WriteString("now\n")
	o := newOutlet(t, false)
	runIn(t, Config{Stdin: r, Stdout: o.file}, "head", "-n1")
	if got := string(o.close()); got != "now\n" {
		t.Errorf("got %q, want now", got)
	}
}

func TestWrapper23LoopThatReadsAFile(t *testing.T) {
	t.Parallel()
	list := t.TempDir() + "/list"
	os.WriteFile(list, []byte("1\n2\n3\n4\n"), 0o600)
	for _, mode := range []string{"auto", "always", "never"} {
		if got := shell(t, "while read l; do rr -pty "+mode+" true; echo $l; done <"+list); got != "1\n2\n3\n4\n" {
			t.Errorf("--pty %s: the loop read %q", mode, got)
		}
	}
	// The child that reads takes what it takes without us.
	if got := shell(t, "{ rr sh -c 'read a; echo c:$a'; read b; echo s:$b; } <"+list); got != "c:1\ns:2\n" {
		t.Errorf("got %q", got)
	}
}

// TestWrapper23LoopThatReadsAPipe: copilot with a prompt does not read its stdin,
// and so the lines are the loop's.
func TestWrapper23LoopThatReadsAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	os.WriteFile(dir+"/copilot", []byte("#!/bin/sh\nexit 0\n"), 0o755)
	got := shell(t, `printf '1\n2\n3\n' | while read -r l; do rr `+dir+`/copilot -p "$l"; echo $l; done`)
	if got != "1\n2\n3\n" {
		t.Errorf("the loop read %q", got)
	}
}

// TestStdinHandedOn: where there is no second run to need it, a pipe is the
// child's as it is.
func TestStdinHandedOn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, tt := range []struct {
		name string
		cfg  Config
		want bool // recorded
	}{
		{"a run under the breaker", Config{Command: []string{"claude", "-p", "go on"}, Circuit: &anyModel{}}, true},
		{"one attempt", Config{Command: []string{"claude", "-p", "go on"}, Circuit: &anyModel{}, Attempts: 1}, false},
		{"copilot with a prompt", Config{Command: []string{"copilot", "-p", "go on"}, Circuit: &anyModel{}}, false},
		{"copilot whose prompt is piped", Config{Command: []string{"copilot", "-s"}, Circuit: &anyModel{}}, true},
		{"no breaker", Config{Command: []string{"claude", "mcp"}}, false},
	} {
		tt.cfg.Stdin = r
		if got := stageIn(t, tt.cfg).record != nil; got != tt.want {
			t.Errorf("%s: recorded: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// startTwice runs cat twice on one stage, and checks that it gets the same.
func startTwice(t *testing.T, in *os.File, want []byte) {
	t.Helper()
	out := openFile(t, t.TempDir()+"/out")
	s := stageIn(t, Config{Stdin: in, Stdout: out, Stderr: out, Circuit: &anyModel{}})
	for attempt := range 2 {
		out.Truncate(0)
		out.Seek(0, io.SeekStart)
		argv := []string{"cat"}
		if attempt == 0 { // the first run takes only a part
			argv = []string{"head", "-c", fmt.Sprint(len(want) / 2)}
		}
		c, err := s.start(childSpec{argv: argv, env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		if end := c.wait(); end.Exit != (Exit{}) {
			t.Fatalf("attempt %d: %+v", attempt, end)
		}
		got, _ := os.ReadFile(out.Name())
		part := want[:len(want)/(2-attempt)]
		if !bytes.Equal(got, part) {
			t.Fatalf("attempt %d: %d bytes arrived, want the %d that were sent", attempt, len(got), len(part))
		}
	}
}

func TestRetryGetsTheSameStdin(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 2, 300 << 10, recordInMemory + 1<<20} {
		in := bytes.Repeat([]byte("ab"), size/2)
		t.Run(fmt.Sprint("pipe/", size), func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			blocking(r)
			defer r.Close()
			go func() {
				w.Write(in)
				w.Close()
			}()
			startTwice(t, r, in)
		})
		t.Run(fmt.Sprint("file/", size), func(t *testing.T) {
			f := openFile(t, t.TempDir()+"/in")
			f.WriteString("header ")
			f.Write(in)
			f.Seek(int64(len("header ")), io.SeekStart) // it stood there when we were started
			startTwice(t, f, in)
		})
	}
}

// TestRecordingLeavesNoFile: the temporary file has no name from the start.
func TestRecordingLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString(strings.Repeat("x", 100))
		w.Close()
	}()
	rec := &recording{from: r, limit: 10}
	buf := make([]byte, 7)
	for off := int64(0); ; {
		n, err := rec.next(off, buf, -1)
		if err != nil {
			break
		}
		off += int64(n)
		if names, _ := os.ReadDir(dir); len(names) > 0 {
			t.Fatalf("left in the temporary folder: %v", names)
		}
	}
	again, err := io.ReadAll(io.NewSectionReader(replayOf{rec}, 0, 100))
	if err != nil || string(again) != strings.Repeat("x", 100) {
		t.Errorf("replay: %q, %v", again, err)
	}
	rec.close()
}

// replayOf reads a recording like a file.
type replayOf struct{ *recording }

func (r replayOf) ReadAt(p []byte, off int64) (int, error) { return r.next(off, p, -1) }

// TestRecordingCannotBeKept: without a place for it there is no retry, but the
// first run gets everything.
func TestRecordingCannotBeKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("0123456789")
	w.Close()
	rec := &recording{from: r, limit: 4}
	buf := make([]byte, 5)
	got := ""
	for off := int64(0); ; {
		n, err := rec.next(off, buf, -1)
		if err != nil {
			break
		}
		got += string(buf[:n])
		off += int64(n)
	}
	if got != "0123456789" || rec.replayable() == nil {
		t.Errorf("got %q, replayable: %v; want all of it, and an error", got, rec.replayable())
	}
}

// TestSocketStdin: node gives its children sockets.
func TestSocketStdin(t *testing.T) {
	t.Parallel()
	ours, theirs, err := controlSocket()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours.WriteString("hello")
	ours.Close()
	startTwice(t, theirs, []byte("hello"))
}

// TestStdinThatIsStuck: another process has read what our own read was told is
// there, so it hangs. The next attempt cannot have its stdin, and says so.
func TestStdinThatIsStuck(t *testing.T) {
	t.Parallel()
	rec := &recording{}
	rec.mu.Lock()
	s := &stage{}
	s.record = rec
	if err := s.rewind(); err == nil {
		t.Error("no error")
	}
	rec.mu.Unlock()
	if err := s.rewind(); err != nil {
		t.Error(err)
	}
}
