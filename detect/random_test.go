package detect

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// fragments are what random output is made of.
var fragments = []string{
	"\x1b[A",
	"\x1b[2A",
	"\x1b[B",
	"\x1b[3C",
	"\x1b[999C",
	"\x1b[D",
	"\x1b[G",
	"\x1b[5G",
	"\x1b[H",
	"\x1b[4;7H",
	"\x1b[J",
	"\x1b[2J",
	"\x1b[3J",
	"\x1b[K",
	"\x1b[1K",
	"\x1b[2K",
	"\x1b[s",
	"\x1b[u",
	"\x1b7",
	"\x1b8",
	"\x1bM",
	"\x1b[?1049h",
	"\x1b[31m",
	"\x1b]0;rate limit\a",
	"\x1b]8;;x\x1b\\",
	"\x1b",
	"\x1b[",
	"\r",
	"\n",
	"\r\n",
	"\b",
	"\x00",
	"\t",
	" ",
	"  ",
	"é",
	"€",
	"中文",
	"😀",
	"e\u0301",
	"\xe2",
	"\x80",
	"\xff",
	"│ ",
	" │",
	"  └ ",
	"● ",
	"❯ ",
	"```",
	"user",
	"codex",
	"{",
	"}",
	"[",
	"{\"type\":\"error\",",
	"\"error\":{\"message\":\"rate limit exceeded\",\"code\":429}}",
	"Error: 429 Too Many Requests",
	"Error: 429 {",
	"You've hit your usage limit",
	"You've hit your us",
	"age limit. Try again in 5 minutes.",
	"rate lim",
	"it exceeded",
	"API Error: Rate limit reached",
	"429",
	" 429 ",
	"402",
	"model",
	"quota",
	"the quick brown fox jumps over the lazy dog",
	"Changes    +1 -2",
	"Resume     copilot --resume=6947a4a4-5a63-493c-bc34-ee9e53c0e01a",
	"session id: 12345678-1234",
	"x succeeded in 3ms:",
	"func f() {",
	"if err != nil {",
	"✗ General-purpose (model: m) sub", strings.Repeat("=", 23), strings.Repeat("ab ", 9),
}

// randomOutput is a mixture of sequences, characters of all widths and errors.
func randomOutput(r *rand.Rand) []byte {
	var b strings.Builder
	for range 1 + r.IntN(40) {
		b.WriteString(fragments[r.IntN(len(fragments))])
		if r.IntN(3) == 0 {
			b.WriteString("\n")
		}
	}
	return []byte(b.String())
}

// TestRandomPieces feeds random output whole and in random pieces.
func TestRandomPieces(t *testing.T) {
	r, texts := rand.New(rand.NewPCG(1, 4)), new(memo)
	for range 400 {
		data, id := randomOutput(r), Stream(r.IntN(4))
		whole, pieces := New(Options{Prompt: "fix the rate limit exceeded error"}), New(Options{Prompt: "fix the rate limit exceeded error"})
		whole.memo, pieces.memo = texts, texts
		whole.Feed(id, data)
		for rest := data; len(rest) > 0; {
			k := 1 + r.IntN(min(len(rest), 1+r.IntN(60)))
			pieces.Feed(id, rest[:k])
			if rest = rest[k:]; r.IntN(10) == 0 {
				pieces.lookAhead()
			}
		}
		if diff := pieces.differs(whole, id); diff != "" {
			t.Fatalf("%s\nstream %d: %q", diff, id, data)
		}
		e := Exit{Code: r.IntN(2)}
		if got, want := pieces.outcome(e), whole.outcome(e); got != want {
			t.Fatalf("%+v, want %+v\nstream %d: %q", got, want, id, data)
		}
	}
}
