package detect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ralph-run/ralph-run/internal/transcript"
)

// TestEval measures the detector on the corpus, which was written without
// looking at its rules. `make eval` prints the numbers.
func TestEval(t *testing.T) {
	cases, err := transcript.Load("../testdata/transcripts")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 400 {
		t.Fatalf("%d cases, want at least 400", len(cases))
	}
	score := map[Kind]*tally{}
	var scopes, times tally
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := judge(c)
			count(score, Kind(c.Verdict), got.Kind)
			if got.Kind != Kind(c.Verdict) {
				t.Errorf("verdict %s by %q on %q, want %s (%s: %s)", got.Kind, got.Rule, got.Evidence, c.Verdict, c.Kind, c.Note)
				return
			}
			if got.Kind != Limit {
				return
			}
			if c.Scope != "unknown" && !scopes.add(string(got.Scope) == c.Scope) {
				t.Errorf("scope %s by %q on %q, want %s", got.Scope, got.Rule, got.Evidence, c.Scope)
			}
			if !c.AnyTime && !times.add(sameTime(c, got)) {
				t.Errorf("ends after %v, at %v, want %v, %v: %q", got.RetryAfter, got.ResetAt, c.RetryAfter, c.Reset, got.Evidence)
			}
		})
	}
	for _, k := range []Kind{Limit, Overloaded, Unavailable, None} {
		if s := score[k]; s != nil {
			t.Logf("%-12s %4d cases, recall %6.2f %%, precision %6.2f %%", k, s.all, percent(s.right, s.all), percent(s.right, s.said))
		}
	}
	t.Logf("scope right in %s, time right in %s", scopes, times)
}

// A tally counts answers: all that should have been given, said that were, and
// right ones.
type tally struct{ all, said, right int }

func (s *tally) add(right bool) bool {
	s.all++
	if right {
		s.right++
	}
	return right
}

func (s tally) String() string {
	return fmt.Sprintf("%d of %d (%.2f %%)", s.right, s.all, percent(s.right, s.all))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

func count(score map[Kind]*tally, want, got Kind) {
	for _, k := range []Kind{want, got} {
		if score[k] == nil {
			score[k] = new(tally)
		}
	}
	score[want].all++
	score[got].said++
	if want == got {
		score[want].right++
	}
}

var streamsByName = map[string]Stream{"stdout": Stdout, "stderr": Stderr, "terminal": Terminal, "log": Log}

func caseOptions(c transcript.Case) Options {
	split := slices.ContainsFunc(c.Pieces, func(p transcript.Piece) bool { return p.Stream == "stderr" })
	return Options{Client: c.Client, Zone: c.Zone, LimitExitCodes: []int{173}, Split: split}
}

func judge(c transcript.Case) Verdict {
	d := New(caseOptions(c))
	for _, p := range c.Pieces {
		d.Feed(streamsByName[p.Stream], p.Data)
	}
	return d.Close(Exit{Code: c.Exit.Code, Unknown: c.Exit.Unknown}, c.Now)
}

func sameTime(c transcript.Case, got Verdict) bool {
	if !c.Reset.IsZero() {
		return got.ResetAt.Equal(c.Reset)
	}
	return got.RetryAfter == c.RetryAfter && (c.RetryAfter > 0 || got.ResetAt.IsZero())
}
