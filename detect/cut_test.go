package detect

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/transcript"
)

// A sample is one run with what is expected of it, from all the tables.
type sample struct {
	name   string
	opts   Options
	pieces []piece
	exit   Exit
	now    time.Time
	cuts   int // at how many bytes it is cut, where it is longer than that
}

// samples are all runs of all tables.
func samples(t testing.TB) (all []sample) {
	for _, rec := range recordings(t) {
		all = append(all, sample{rec.Name, Options{Client: rec.CLI, Split: rec.Mode != "pty"}, rec.pieces(t), rec.exit(), recordedNow, 100})
	}
	for _, name := range []string{"limits.jsonl", "not-limits.jsonl"} {
		for _, r := range reports(t, name) {
			for how, e := range r.exits() {
				all = append(all, sample{r.ID + "/" + how, Options{Client: r.CLI}, []piece{{Stdout, []byte(r.Text + "\n")}}, e, recordedNow, 1 << 20})
			}
		}
	}
	cases, err := transcript.Load("../testdata/transcripts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := sample{cuts: 20, name: c.Name, opts: caseOptions(c), exit: Exit{Code: c.Exit.Code, Unknown: c.Exit.Unknown}, now: c.Now}
		for _, p := range c.Pieces {
			s.pieces = append(s.pieces, piece{streamsByName[p.Stream], p.Data})
		}
		all = append(all, s)
	}
	return all
}

func (s sample) judge() Verdict {
	d := New(s.opts)
	for _, p := range s.pieces {
		d.Feed(p.stream, p.data)
	}
	return d.Close(s.exit, s.now)
}

// TestCuts cuts every run's output in two: the reports at every byte, the long
// ones at places spread over them. It must not matter.
func TestCuts(t *testing.T) {
	seen := map[string]bool{}
	for n, s := range samples(t) {
		id, _, _ := strings.Cut(s.name, "/")
		if seen[id] {
			continue // the same text with another status
		}
		seen[id] = true
		t.Run(s.name, func(t *testing.T) {
			views := new(memo)
			want := s.end(-1, 0, views)
			for i, p := range s.pieces {
				step := 1 + len(p.data)/s.cuts
				for cut := n % step; cut <= len(p.data); cut += step {
					if got := s.end(i, cut, views); got != want {
						t.Fatalf("piece %d cut at %d: %+v, want %+v", i, cut, got, want)
					}
				}
			}
		})
	}
}

// An end is all that a verdict is made from.
type end struct {
	f       finding
	decided bool
	work    bool
	session string
}

// end ends the run with one piece cut in two. What the rules say of single
// texts is shared between the cuts: only how the texts come about depends on
// them.
func (s sample) end(piece, cut int, views *memo) end {
	d := New(s.opts)
	d.memo = views
	for i, p := range s.pieces {
		if i != piece {
			d.Feed(p.stream, p.data)
			continue
		}
		d.Feed(p.stream, p.data[:cut])
		if cut%16 == 0 { // looking must not change anything either
			d.Standing(s.now)
			d.Waiting(s.now)
		}
		d.Feed(p.stream, p.data[cut:])
	}
	f, decided := d.end(s.exit)
	f.seq = 0
	return end{f, decided, d.run.work, d.run.session}
}

// TestBytes feeds every run byte by byte.
func TestBytes(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			want := s.judge()
			d := New(s.opts)
			for _, p := range s.pieces {
				for i := range p.data {
					d.Feed(p.stream, p.data[i:i+1])
				}
			}
			if got := d.Close(s.exit, s.now); got != want {
				t.Errorf("byte by byte: %+v, want %+v", got, want)
			}
		})
	}
}

// dresses are ways in which the same text arrives from a terminal.
var dresses = []struct {
	name  string
	dress func(string) string
}{
	{"crlf", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"coloured lines", func(s string) string { return perLine(s, "\x1b[31m", "\x1b[39m") }},
	{"coloured words", func(s string) string {
		return perLine(strings.ReplaceAll(s, " ", "\x1b[0m \x1b[1;38;2;255;100;0m"), "\x1b[1m", "\x1b[22m")
	}},
	{"progress before", func(s string) string { return perLine(s, "⠋ working\r⠙ working\r\x1b[K", "") }},
	{"title before", func(s string) string { return perLine(s, "\x1b]0;agent: rate limit\a\x1b[?25l", "\x1b[?25h") }},
	{"link around", func(s string) string {
		return perLine(s, "\x1b]8;;https://example.com/429\x1b\\", "\x1b]8;;\x1b\\")
	}},
	{"redrawn", func(s string) string { return perLine(s, "…\r\n\x1b[1A\x1b[2K", "") }},
	{"nul", func(s string) string { return strings.ReplaceAll(s, "e", "e\x00") }},
}

func perLine(s, before, after string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = before + l + after
	}
	return strings.Join(lines, "\r\n") + "\r\n"
}

// TestDressed shows every report as a terminal would get it.
func TestDressed(t *testing.T) {
	for _, name := range []string{"limits.jsonl", "not-limits.jsonl"} {
		for _, r := range reports(t, name) {
			for how, e := range r.exits() {
				for _, dress := range dresses {
					t.Run(fmt.Sprintf("%s/%s/%s", r.ID, how, dress.name), func(t *testing.T) {
						text := dress.dress(r.Text + "\n")
						got := feed(Options{Client: r.CLI}, []piece{{Terminal, []byte(text)}}, e)
						if got.Kind != r.want(e) {
							t.Errorf("verdict %s by %q on %q, want %s:\n%q", got.Kind, got.Rule, got.Evidence, r.want(e), text)
						}
					})
				}
			}
		}
	}
}

// hardWrap cuts every line at the column, as a screen does that knows no words;
// inner is put before and after each row.
func hardWrap(s string, columns int, before, after string) string {
	var out strings.Builder
	for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		for rest := l; ; {
			n, _ := cellOffset([]byte(rest), columns)
			row := rest[:n]
			if after != "" {
				row += strings.Repeat(" ", max(columns-cells([]byte(row)), 0))
			}
			out.WriteString(before + row + after + "\n")
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
	}
	return out.String()
}

// cutWords are the words of a line, those that no row holds in pieces.
func cutWords(l string, most int) (all []string) {
	for _, w := range strings.Fields(l) {
		for cells([]byte(w)) > most {
			n, _ := cellOffset([]byte(w), most)
			all = append(all, w[:n])
			w = w[n:]
		}
		all = append(all, w)
	}
	return all
}

// wordWrap breaks lines at blanks, with the rows after the first indented.
func wordWrap(s string, columns int, indent string) string {
	var out strings.Builder
	for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		lead := l[:len(l)-len(strings.TrimLeft(l, " "))]
		row := lead
		for _, w := range cutWords(l, columns-len(lead)-len(indent)) {
			if len([]rune(row))+1+len([]rune(w)) > columns && strings.TrimSpace(row) != "" {
				out.WriteString(row + "\n")
				row = lead + indent
			} else if strings.TrimSpace(row) != "" {
				row += " "
			}
			row += w
		}
		out.WriteString(row + "\n")
	}
	return out.String()
}

// TestWrapped shows every report that is a limit hard-wrapped at every usual
// width, and word-wrapped, indented and in a box.
func TestWrapped(t *testing.T) {
	for _, r := range reports(t, "limits.jsonl") {
		if strings.HasPrefix(r.Text, "{") || r.ID == "p143" || r.ID == "p152" {
			continue // events are never wrapped; the two were, and would be twice
		}
		for _, columns := range []int{40, 53, 72, 80, 100, 120} {
			for name, text := range map[string]string{
				"hard": hardWrap(r.Text, columns, "", ""), "hard, indented": hardWrap(r.Text, columns-2, "  ", ""),
				"box": hardWrap(r.Text, columns-4, "│ ", " │"), "words": wordWrap(r.Text, columns, "  "),
			} {
				t.Run(fmt.Sprintf("%s/%d %s", r.ID, columns, name), func(t *testing.T) {
					e := Exit{Code: 1}
					got := feed(Options{Client: r.CLI}, []piece{{Terminal, []byte(text)}}, e)
					if got.Kind != r.want(e) {
						t.Fatalf("verdict %s by %q on %q, want %s:\n%s", got.Kind, got.Rule, got.Evidence, r.want(e), text)
					}
					if w := r.RetryAfter; w != nil && got.RetryAfter != time.Duration(*w)*time.Second && r.ID != "p149" {
						t.Errorf("retry after %v, want %ds:\n%s", got.RetryAfter, *w, text)
					}
				})
			}
		}
	}
}

// TestInvalid puts bytes that are no text around and into limits.
func TestInvalid(t *testing.T) {
	for _, text := range []string{
		"\xff\xfe\x80\n429 Too Many Requests\n",
		"\x00\x00\xc3\x28\x1b[38;5\nError: Rate limit reached\xff. Please try again in 5s.\n",
		"\x1b]0;never ended\nError: 429 Too Many Requests\n",
		"\x1bPnever ended" + strings.Repeat("x", 10<<10) + "\nError: 429 Too Many Requests\n",
	} {
		if got := feed(Options{}, []piece{{Terminal, []byte(text)}}, Exit{Code: 1}); got.Kind != Limit {
			t.Errorf("verdict %s, want limit: %.60q", got.Kind, text)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range samples(f) {
		for _, p := range s.pieces {
			if len(p.data) < 2<<10 {
				f.Add(p.data, uint16(len(p.data)/2), uint8(p.stream), uint8(s.exit.Code))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, stream, status uint8) {
		id := Stream(stream % 4)
		whole, halves := New(Options{Prompt: "fix the rate limit exceeded error"}), New(Options{Prompt: "fix the rate limit exceeded error"})
		whole.Feed(id, data)
		n := min(int(cut), len(data))
		halves.Feed(id, bytes.Clone(data[:n]))
		halves.Standing(recordedNow)
		halves.Feed(id, bytes.Clone(data[n:]))
		a, b := whole.Close(Exit{Code: int(status)}, recordedNow), halves.Close(Exit{Code: int(status)}, recordedNow)
		if a != b {
			t.Errorf("cut at %d: %+v, want %+v", n, b, a)
		}
		if strings.ContainsAny(a.Evidence, "\n\x00\x1b") || len(a.Evidence) > maxEvidence+4 {
			t.Errorf("evidence %q is not fit to be shown", a.Evidence)
		}
	})
}
