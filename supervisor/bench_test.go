//go:build unix

package supervisor

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The benchmarks run whole programs side by side: compare the lines of one run,
// not the numbers of two machines. rr is the test binary; the program itself
// has the state file on top (cmd/ralph-run, BenchmarkStart).

// timed runs a program once per round, without a terminal.
func timed(b *testing.B, argv ...string) {
	b.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		cmd := exec.Command(argv[0], argv[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%q: %v\n%s", argv, err, out)
		}
	}
}

func BenchmarkStartStop(b *testing.B) {
	for _, argv := range [][]string{
		{"true"},
		{"timeout", "60", "true"},
		{"script", "-qec", "true", "/dev/null"},
		{"rr", "true"},
		{"rr", "-pty", "always", "true"},
	} {
		b.Run(strings.Join(argv, "_"), func(b *testing.B) { timed(b, argv...) })
	}
}

// BenchmarkStage is the start and stop of a child alone, in this process.
func BenchmarkStage(b *testing.B) {
	for _, mode := range []PTYMode{PTYNever, PTYAlways} {
		b.Run(string(mode), func(b *testing.B) {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer null.Close()
			s, err := openStage(&Config{Stdin: null, Stdout: null, Stderr: null, PTY: mode})
			if err != nil {
				b.Fatal(err)
			}
			defer s.close()
			for b.Loop() {
				c, err := s.start(childSpec{argv: []string{"true"}, env: os.Environ()})
				if err != nil {
					b.Fatal(err)
				}
				c.wait()
			}
		})
	}
}

const text = "The quick brown fox jumps over the lazy dog, and then it reads a file.\n"

// copyAll counts what a program writes, to a pipe or to a terminal.
func copyAll(b *testing.B, terminal bool, script string) (bytes int64, usage *syscall.Rusage) {
	b.Helper()
	r, w, err := os.Pipe()
	if terminal {
		r, w, err = newTerminal()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	blocking(w)
	cmd := exec.Command("sh", "-c", "exec "+script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w, w, w
	if !terminal {
		cmd.Stdin = nil
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if terminal {
		unix.IoctlSetWinsize(descriptor(w), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
		cmd.SysProcAttr.Setctty = true
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	w.Close()
	bytes, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 1<<20))
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return bytes, cmd.ProcessState.SysUsage().(*syscall.Rusage)
}

// writer writes that many MB of text.
func writer(mb int) string {
	return fmt.Sprintf("sh -c \"yes '%s' | head -c %d\"", strings.TrimSpace(text), mb<<20)
}

func through(b *testing.B, terminal bool, mb int, scripts [][2]string) {
	for _, s := range scripts {
		b.Run(s[0], func(b *testing.B) {
			var n int64
			var peak int64
			for b.Loop() {
				var u *syscall.Rusage
				n, u = copyAll(b, terminal, s[1])
				peak = max(peak, u.Maxrss)
			}
			if n < int64(mb)<<20 {
				b.Fatalf("%d bytes arrived, want %d MB", n, mb)
			}
			b.SetBytes(int64(mb) << 20)
			b.ReportMetric(float64(peak)/1024, "peak-MB")
		})
	}
}

func BenchmarkPipes(b *testing.B) {
	const mb = 1024
	w := writer(mb)
	through(b, false, mb, [][2]string{
		{"cat_cat", "sh -c '" + strings.ReplaceAll(w, "'", `'\''`) + " | cat | cat'"},
		{"rr", "rr " + w},
	})
}

// BenchmarkPTY is a child on a pty with the output captured, and
// BenchmarkTerminal with another one around, the person's.
func BenchmarkPTY(b *testing.B) {
	const mb = 256
	w := writer(mb)
	through(b, false, mb, [][2]string{
		{"script", "script -qec '" + strings.ReplaceAll(w, "'", `'\''`) + "' /dev/null"},
		{"rr", "rr -pty always " + w},
	})
}

func BenchmarkTerminal(b *testing.B) {
	const mb = 64
	w := writer(mb)
	through(b, true, mb, [][2]string{
		{"script", "script -qec '" + strings.ReplaceAll(w, "'", `'\''`) + "' /dev/null"},
		{"rr", "rr " + w},
	})
}

// BenchmarkHuge shows that memory stays flat.
func BenchmarkHuge(b *testing.B) {
	for _, gb := range []int{1, 10} {
		w := writer(gb << 10)
		through(b, false, gb<<10, [][2]string{{fmt.Sprint(gb, "GB"), "rr " + w}})
	}
}
