package detect

import (
	"strings"
	"testing"
)

// TestMuchAfter has rows that say nothing come after a notice: those of a stack
// or a screen do not take it away, and a long list of anything does.
func TestMuchAfter(t *testing.T) {
	for name, tt := range map[string]struct {
		row  string
		rows int
		want Kind
	}{
		"a stack":   {"    at call (/app/index.js:10:5)\n", 60, Limit},
		"a body":    {"  },\n", 100, Limit},
		"numbers":   {"1024\n", 300, None},
		"brackets":  {"}\n", 300, None},
		"long dump": {"    at call (/app/index.js:10:5)\n", 300, None},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(Options{})
			d.Feed(Stdout, []byte("Error: 429 Too Many Requests\n"+strings.Repeat(tt.row, tt.rows)))
			if got := d.Close(Exit{Code: 1}, recordedNow); got.Kind != tt.want {
				t.Errorf("verdict %s by %q on %q, want %s", got.Kind, got.Rule, got.Evidence, tt.want)
			}
		})
	}
}
