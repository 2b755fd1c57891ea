package detect

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// streamed is at least size bytes of a kind of output, in the proportions of a
// long run: mostly the model at work, some lines that look like limits.
func streamed(b testing.TB, size int, parts ...[]byte) []byte {
	b.Helper()
	whole := bytes.Join(parts, nil)
	return bytes.Repeat(whole, size/len(whole)+1)
}

func recordedBytes(b testing.TB, pattern string) []byte {
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

// limiterTests are the tests and the log of an app with a rate limiter: every
// line but the blank ones holds a word of a limit, no two are the same, and none
// is the client's own.
func limiterTests() []byte {
	var t strings.Builder
	for i := range 400 {
		fmt.Fprintf(&t, "=== RUN   TestRateLimit/client_%d_gets_429_after_%d_requests\n", i, i%17+3)
		fmt.Fprintf(&t, "    limiter_test.go:%d: request %d: got status 429, want 429, retry-after %ds\n", 40+i%90, i, i%60)
		fmt.Fprintf(&t, "    limiter_test.go:%d: quota of client %d is exhausted, as it should be\n", 41+i%90, i)
		fmt.Fprintf(&t, "--- PASS: TestRateLimit/client_%d_gets_429_after_%d_requests (0.0%ds)\n", i, i%17+3, i%10)
		fmt.Fprintf(&t, "2026/11/29 19:%02d:%02d WARN rate limit exceeded client=10.0.%d.%d limit=%d\n", i/60%60, i%60, i/250, i%250, i%17+3)
		fmt.Fprintf(&t, "10.0.%d.%d - - [29/Nov/2026:19:%02d:%02d +0000] \"POST /login HTTP/1.1\" 429 %d \"-\" \"test\"\n", i/250, i%250, i/60%60, i%60, 100+i)
		fmt.Fprintf(&t, "The limiter now counts %d requests of one client per minute, and the usage of the others is not touched.\n\n", i)
	}
	return []byte(t.String())
}

// oneSession makes a stream of many short runs one long run's, which has one
// session.
func oneSession(stream []byte) []byte {
	return regexp.MustCompile(`"sessionId":"[^"]*"`).ReplaceAll(stream, []byte(`"sessionId":"77e08984-4cd8-4b8c-889a-656bbbd3c067"`))
}

// A load is a kind of output to be fed.
type load struct {
	name   string
	stream Stream
	data   []byte
}

// loads are at least size bytes of each kind of output.
func loads(b testing.TB, size int) []load {
	work := recordedBytes(b, "copilot-tool-then-429-json.stdout")
	work = work[:bytes.Index(work, []byte(`{"type":"model.call_failure"`))]
	text := streamed(b, size, agentText())
	return []load{
		{"text", Stdout, text},
		{"text-on-a-terminal", Terminal, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))},
		{"jsonl", Stdout, oneSession(streamed(b, size, work, recordedBytes(b, "copilot-talk-json.stdout"), recordedBytes(b, "copilot-ok-json.stdout")))},
		{"tui", Terminal, streamed(b, size, tuiFrames())},
		{"binary", Stdout, streamed(b, size, []byte("\x00\xff\xfe\x80\x1b[31mELF\x7f\r\n\x00\x00\x01\x02\x03"))},
		{"limiter-tests", Stdout, streamed(b, size, limiterTests())},
		{"recorded-pty", Terminal, streamed(b, size, recordedBytes(b, "copilot-*ok*.pty"), recordedBytes(b, "copilot-talk-pty.pty"), recordedBytes(b, "copilot-tool-then-429-pty.pty"), recordedBytes(b, "codex-m429-ra2-pty.pty"))},
	}
}

// feed feeds a load in pieces as large as a pipe's reader gets them.
func (l load) feed(d *Detector) {
	for p := l.data; len(p) > 0; {
		n := min(len(p), 32<<10)
		d.Feed(l.stream, p[:n])
		p = p[n:]
	}
}

// BenchmarkFeed feeds what agents print. recorded-pty are whole runs of less than
// 2 KB, one after the other, each with up to ten notices; limiter-tests is the
// worst that an agent does who is not limited.
func BenchmarkFeed(b *testing.B) {
	for _, l := range loads(b, 8<<20) {
		b.Run(l.name, func(b *testing.B) {
			d := New(Options{Client: "copilot"})
			b.SetBytes(int64(len(l.data)))
			b.ReportAllocs()
			for b.Loop() {
				l.feed(d)
			}
			lines := b.N * bytes.Count(l.data, []byte("\n"))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/line")
		})
	}
}

// TestFeedAllocates feeds each kind of calm output for a while, and then expects
// that nothing more is allocated.
func TestFeedAllocates(t *testing.T) {
	for _, l := range loads(t, 256<<10) {
		if l.name == "recorded-pty" || l.name == "limiter-tests" {
			continue // a notice, or what looks like one, is kept
		}
		t.Run(l.name, func(t *testing.T) {
			d := New(Options{Client: "copilot"})
			for range 8 { // until the window is full
				l.feed(d)
			}
			if n := testing.AllocsPerRun(20, func() { l.feed(d) }); n > 0 {
				t.Errorf("%v allocations in %d KiB, want none", n, len(l.data)>>10)
			}
		})
	}
}
