package detect

import (
	"strings"
	"testing"
)

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
	for _, r := range allReports(t) {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			texts := new(memo)
			for how, e := range r.exits() {
				for _, dress := range dresses {
					text := dress.dress(r.Text + "\n")
					got := feedKnown(texts, Options{Client: r.CLI}, []piece{{Terminal, []byte(text)}}, e)
					if got.Kind != r.want(e) {
						t.Errorf("%s, %s: verdict %s by %q on %q, want %s:\n%q", how, dress.name, got.Kind, got.Rule, got.Evidence, r.want(e), text)
					}
				}
			}
		})
	}
}

// TestInvalid puts bytes that are no text around and into limits.
func TestInvalid(t *testing.T) {
	for _, text := range []string{
		"\xff\xfe\x80\n429 Too Many Requests\n",
		"\x00\x00\xc3\x28\x1b[38;5\nError: Rate limit reached\xff. Please try again in 5s.\n",
		"Error: " + strings.Repeat("x", 2*rowBytes) + " {\n}\nError: 429 Too Many Requests\n",
		"\x1b]0;never ended\nError: 429 Too Many Requests\n",
		"\x1bPnever ended" + strings.Repeat("x", 10<<10) + "\nError: 429 Too Many Requests\n",
	} {
		if got := feed(Options{}, []piece{{Terminal, []byte(text)}}, Exit{Code: 1}); got.Kind != Limit {
			t.Errorf("verdict %s, want limit: %.60q", got.Kind, text)
		}
	}
}
