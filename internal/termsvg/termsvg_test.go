package termsvg

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var screenTests = []struct {
	name, in, want string
}{
	{name: "nothing"},
	{"lines", "one\r\ntwo\r\n", "one\ntwo"},
	{"a blank line between", "one\r\n\r\ntwo", "one\n\ntwo"},
	{"drawn over", "10 %\r100 %", "100 %"},
	{"erased", "a long line\rshort\x1b[K", "short"},
	{"wrapped", "123456789012345", "123456789012\n345"},
	{"a tab", "a\tb", "a       b"},
	{"wide characters", "日本語です!", "日本語です!"},
	{"a wide character at the edge", "12345678901日", "12345678901\n日"},
	{"colours", "\x1b[1;31mred\x1b[0m \x1b[92mgreen\x1b[39m", "red green"},
	{"a title", "\x1b]0;title\a$", "$"},
}

// TestScreen cuts every input in two at every byte: the cut must not matter.
func TestScreen(t *testing.T) {
	for _, tt := range screenTests {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.in) + 1 {
				r := &Recording{Columns: 12}
				r.add([]byte(tt.in[:cut]), time.Second)
				r.add([]byte(tt.in[cut:]), 2*time.Second)
				s, err := play(r)
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				if got := s.text(); got != tt.want {
					t.Fatalf("cut at %d: play(%q) shows %q, want %q", cut, tt.in, got, tt.want)
				}
			}
		})
	}
}

// TestUnknown: what cannot be drawn is an error, and not a wrong picture.
func TestUnknown(t *testing.T) {
	for _, in := range []string{"\x1b[2J", "\x1b[5;5H", "\x1b[38;5;9mx", "\x1b[7mx", "\a"} {
		r := &Recording{Columns: 12}
		r.add([]byte(in), 0)
		if err := WriteSVG(io.Discard, r, ""); err == nil {
			t.Errorf("WriteSVG(%q) drew something", in)
		}
	}
}

func TestRuns(t *testing.T) {
	r := &Recording{Columns: 40}
	r.add([]byte("  日本 \x1b[1mbold  \x1b[0m  end"), 0)
	s, err := play(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []run{{2, 4, "日本", style{}}, {7, 4, "bold", style{bold: true}}, {15, 3, "end", style{}}}
	got := s.rows[0].runs()
	if len(got) != len(want) {
		t.Fatalf("runs = %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("run %d = %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestTimes: a row appears when it was printed.
func TestTimes(t *testing.T) {
	r := &Recording{Columns: 40}
	r.add([]byte("first\r\n"), time.Second)
	r.add([]byte("se"), 2*time.Second)
	r.add([]byte("cond\r\n"), 3*time.Second)
	s, err := play(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.rows) != 2 || s.rows[0].at != time.Second || s.rows[1].at != 3*time.Second {
		t.Errorf("rows = %+v, want them after 1 s and 3 s", s.rows)
	}
}

func TestRecord(t *testing.T) {
	r, err := Record(exec.Command("sh", "-c", "test -t 1 && stty size && echo '<&>'"), 77)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteSVG(&b, r, "a <title>"); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	for _, want := range []string{">40 77</text>", "&lt;&amp;&gt;</text>", "<title>a &lt;title&gt;</title>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture has no %q:\n%s", want, b.String())
		}
	}
}

// TestRecordFails: a picture of a command that failed is not made unnoticed.
func TestRecordFails(t *testing.T) {
	if _, err := Record(exec.Command("false"), 80); err == nil {
		t.Error("Record of a failing command: no error")
	}
}

// TestDemo: the picture in docs shows the main job.
func TestDemo(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "demo.svg"))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, string(data))
	for _, want := range []string{"claude-sonnet-4.6 is rate limited", "retrying with gpt-5.4-mini"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("docs/demo.svg does not show %q", want)
		}
	}
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, s)
		}
	}
}
