package detect

import (
	"strings"
	"testing"
	"time"
)

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

// wraps are ways in which a text is laid out on a screen.
var wraps = []struct {
	name string
	wrap func(s string, columns int) string
}{
	{"hard", func(s string, n int) string { return hardWrap(s, n, "", "") }},
	{"hard, indented", func(s string, n int) string { return hardWrap(s, n-2, "  ", "") }},
	{"box", func(s string, n int) string { return hardWrap(s, n-4, "│ ", " │") }},
	{"words", func(s string, n int) string { return wordWrap(s, n, "  ") }},
}

// TestWrapped shows every report that is a limit hard-wrapped at every usual
// width, and word-wrapped, indented and in a box.
func TestWrapped(t *testing.T) {
	for _, r := range everyNth(reports(t, "limits.jsonl"), min(sampled, 4)) {
		if strings.HasPrefix(r.Text, "{") || r.ID == "p143" || r.ID == "p152" {
			continue // events are never wrapped; the two were, and would be twice
		}
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			texts, e := new(memo), Exit{Code: 1}
			for _, columns := range []int{40, 53, 72, 80, 100, 120} {
				for _, w := range wraps {
					text := w.wrap(r.Text, columns)
					got := feedKnown(texts, Options{Client: r.CLI}, []piece{{Terminal, []byte(text)}}, e)
					if got.Kind != r.want(e) {
						t.Fatalf("%d %s: verdict %s by %q on %q, want %s:\n%s", columns, w.name, got.Kind, got.Rule, got.Evidence, r.want(e), text)
					}
					if w := r.RetryAfter; w != nil && got.RetryAfter != time.Duration(*w)*time.Second && r.ID != "p149" {
						t.Errorf("retry after %v, want %ds:\n%s", got.RetryAfter, *w, text)
					}
				}
			}
		})
	}
}
