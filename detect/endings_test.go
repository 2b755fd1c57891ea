package detect

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
)

// endings are messages on which runs ended, each below a line with the verdict,
// the exit status and the client. They were made up, to be unlike those that
// the rules know.
//
//go:embed testdata/endings.txt
var endings string

// TestEndings holds the reading of the last words to messages that no rule was
// written for.
func TestEndings(t *testing.T) {
	for n, block := range strings.Split(endings, "== ")[1:] {
		head, text, _ := strings.Cut(block, "\n")
		f := strings.Fields(head)
		t.Run(f[0]+"/"+itoa(n), func(t *testing.T) {
			status, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			d := New(Options{Client: f[2]})
			d.Feed(Stdout, []byte(text))
			got := d.Close(Exit{Code: status}, recordedNow)
			if string(got.Kind) != f[0] {
				t.Errorf("verdict %s by %q on %q, want %s:\n%s", got.Kind, got.Rule, got.Evidence, f[0], text)
			}
		})
	}
}
