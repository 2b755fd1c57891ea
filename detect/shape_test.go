package detect

import (
	"strings"
	"testing"
)

// TestShapesMay asks of every line of all runs that a pattern is spared no text
// that it matches.
func TestShapesMay(t *testing.T) {
	seen, matched := map[string]bool{}, map[int]int{}
	ask := func(text string) {
		if seen[text] {
			return
		}
		seen[text] = true
		for i, n := range notNotices {
			if !n.re().MatchString(text) {
				continue
			}
			if matched[i]++; !n.may(text) {
				t.Errorf("shape %d (%s) is spared %q, which it matches", i, n.why, text)
			}
		}
		if quotesIt().MatchString(text) && !mayQuote(text) {
			t.Errorf("quotesIt is spared %q, which it matches", text)
		}
	}
	ask("web-1  | 429 Too Many Requests")
	for _, s := range samples(t) {
		for _, p := range s.pieces {
			for row := range strings.Lines(string(p.data)) {
				ask(cleanLine([]byte(strings.TrimRight(row, "\r\n"))).text)
			}
		}
	}
	for i, n := range notNotices {
		if matched[i] == 0 && sampled == 1 {
			t.Errorf("shape %d (%s) matches no line of the corpus", i, n.why)
		}
	}
}
