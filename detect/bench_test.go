package detect

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// streamed is at least size bytes of a kind of output, in the proportions of a
// long run: mostly the model at work, some lines that look like limits.
func streamed(b *testing.B, size int, parts ...[]byte) []byte {
	b.Helper()
	whole := bytes.Join(parts, nil)
	return bytes.Repeat(whole, size/len(whole)+1)
}

func recordedBytes(b *testing.B, pattern string) []byte {
	b.Helper()
	names, err := filepath.Glob(filepath.Join(recordedDir, pattern))
	if err != nil || len(names) == 0 {
		b.Fatalf("no recording matches %q", pattern)
	}
	var all []byte
	for _, name := range names {
		one, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, one...)
	}
	return all
}

// agentText is what an agent prints while it works: prose, code, test output,
// a diff; one line in fifty holds a word that a limit may hold, too.
func agentText() []byte {
	var t strings.Builder
	for i := range 50 {
		fmt.Fprintf(&t, "● Read internal/server/handler_%d.go (lines %d-%d)\n  └ 214 lines read\n\n", i, i*10, i*10+120)
		t.WriteString("The handler reads the body twice, which is why the second test sees an empty reader. I change it to keep the bytes\n")
		t.WriteString("and to pass a new reader on, so that the signature of the function does not have to change.\n\n")
		fmt.Fprintf(&t, "    func (s *Server) handle%d(w http.ResponseWriter, r *http.Request) {\n\tbody, err := io.ReadAll(r.Body)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), http.StatusBadRequest)\n\t\treturn\n\t}\n", i)
		fmt.Fprintf(&t, "ok  \texample.com/app/internal/server\t0.%03ds\tcoverage: 81.2%% of statements\n", i)
		if i%5 == 0 {
			t.WriteString("The limiter of the login form answers with 429 after ten requests, as the test wants it.\n")
		}
	}
	return []byte(t.String())
}

// tuiFrames are redraws of a screen as Ink makes them: lines erased upwards,
// then drawn again with colours, boxes and a spinner.
func tuiFrames() []byte {
	var t strings.Builder
	for i := range 40 {
		for range 6 {
			t.WriteString("\x1b[2K\x1b[1A")
		}
		t.WriteString("\x1b[2K\x1b[G")
		fmt.Fprintf(&t, "\x1b[38;5;174m%s\x1b[39m \x1b[1mThinking…\x1b[22m \x1b[2m(%ds · ↑ %d tokens · esc to interrupt)\x1b[22m\r\n\r\n", []string{"✢", "✳", "∗", "✻"}[i%4], i, i*37)
		t.WriteString("\x1b[2m╭──────────────────────────────────────────────────────────────────────────────╮\x1b[22m\r\n")
		t.WriteString("\x1b[2m│\x1b[22m > \x1b[7m \x1b[27m                                                                          \x1b[2m│\x1b[22m\r\n")
		t.WriteString("\x1b[2m╰──────────────────────────────────────────────────────────────────────────────╯\x1b[22m\r\n")
		t.WriteString("  \x1b[2m? for shortcuts\x1b[22m                                  \x1b[2m98% context left\x1b[22m\r\n")
		if i%8 == 0 {
			fmt.Fprintf(&t, "\x1b[32m●\x1b[39m \x1b[1mEdited file %d\x1b[22m src/app.ts (+%d -%d)\r\n", i, i, i/2)
		}
	}
	return []byte(t.String())
}

// A load is a kind of output to be fed.
type load struct {
	name   string
	stream Stream
	data   []byte
}

func loads(b *testing.B) []load {
	const size = 8 << 20
	work := recordedBytes(b, "copilot-tool-then-429-json.stdout")
	work = work[:bytes.Index(work, []byte(`{"type":"model.call_failure"`))]
	text := streamed(b, size, agentText())
	return []load{
		{"text", Stdout, text},
		{"text-on-a-terminal", Terminal, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))},
		{"jsonl", Stdout, streamed(b, size, work, recordedBytes(b, "copilot-talk-json.stdout"), recordedBytes(b, "copilot-ok-json.stdout"))},
		{"tui", Terminal, streamed(b, size, tuiFrames())},
		{"recorded-pty", Terminal, streamed(b, size, recordedBytes(b, "copilot-*ok*.pty"), recordedBytes(b, "copilot-talk-pty.pty"), recordedBytes(b, "copilot-tool-then-429-pty.pty"), recordedBytes(b, "codex-m429-ra2-pty.pty"))},
		{"binary", Stdout, streamed(b, size, []byte("\x00\xff\xfe\x80\x1b[31mELF\x7f\r\n\x00\x00\x01\x02\x03"))},
	}
}

func BenchmarkFeed(b *testing.B) {
	for _, l := range loads(b) {
		b.Run(l.name, func(b *testing.B) {
			d := New(Options{Client: "copilot"})
			b.SetBytes(int64(len(l.data)))
			b.ReportAllocs()
			for b.Loop() {
				for p := l.data; len(p) > 0; {
					n := min(len(p), 32<<10)
					d.Feed(l.stream, p[:n])
					p = p[n:]
				}
			}
		})
	}
}
