package detect

// A trigger says what a word in a line may be about. A line without any is
// never looked at by a rule.
type trigger uint8

const (
	triggerLimit   trigger = 1 << iota // a word of a limit, an overload or an unknown model
	triggerWork                        // a tool's output, or a count of changes
	triggerSession                     // a session's id
	triggerFence                       // a code fence
	triggerRetry                       // a client's own wait
)

// triggerWords are looked for in every line, without regard to case. at is
// where in the word the three bytes stand that the scanner looks for first:
// chosen to be rare in prose and code.
var triggerWords = []struct {
	word string
	at   int
	t    trigger
}{
	{"limit", 2, triggerLimit},
	{"quota", 0, triggerLimit},
	{"429", 0, triggerLimit},
	{"402", 0, triggerLimit},
	{"529", 0, triggerLimit},
	{"too many", 2, triggerLimit},
	{"overload", 4, triggerLimit},
	{"exhaust", 1, triggerLimit},
	{"exceed", 1, triggerLimit},
	{"capacity", 1, triggerLimit},
	{"demand", 0, triggerLimit},
	{"credit", 0, triggerLimit},
	{"allowance", 0, triggerLimit},
	{"spend", 0, triggerLimit},
	{"usage", 0, triggerLimit},
	{"throttl", 4, triggerLimit},
	{"model", 0, triggerLimit},
	{"you've", 2, triggerLimit},
	{"you’ve", 1, triggerLimit},
	{"you have", 2, triggerLimit},
	{"you're out", 2, triggerLimit},
	{"you’re out", 1, triggerLimit},
	{"sorry", 1, triggerLimit},
	{"payment re", 1, triggerLimit},
	{"high-freq", 3, triggerLimit},
	{"upgrade to", 0, triggerLimit},
	{"límite", 0, triggerLimit},
	{"limite", 3, triggerLimit},
	{"kontingent", 5, triggerLimit},
	{"限", 0, triggerLimit},
	{"额", 0, triggerLimit},
	{"額", 0, triggerLimit},
	{"한도", 0, triggerLimit},
	{"лимит", 4, triggerLimit},
	{"retrying", 4, triggerRetry},
	{"retry-after", 4, triggerRetry},
	{"  └ ", 2, triggerWork},
	{"  │ ", 2, triggerWork},
	{"  ⎿ ", 2, triggerWork},
	{"changes   ", 4, triggerWork},
	{"succeeded in", 2, triggerWork},
	{"resume=", 3, triggerSession},
	{"session id:", 8, triggerSession},
	{"```", 0, triggerFence},
}

// triggers is a Wu-Manber scanner: it looks at every second pair of bytes, and
// compares words only where a pair ends one of their rare threes.
var triggers = newScanner()

type scanner struct {
	shift  [1 << 14]uint8   // by pair: how far the next look may be
	bucket [1 << 14][]uint8 // by pair: words whose three ends with it
}

func pairOf(a, b byte) int { return int(a&0x7f)<<7 | int(b&0x7f) }

func newScanner() *scanner {
	s := new(scanner)
	for i := range s.shift {
		s.shift[i] = 2
	}
	for n, w := range triggerWords {
		three := w.word[w.at : w.at+3]
		for _, a := range cases(three[0]) {
			for _, b := range cases(three[1]) {
				s.shift[pairOf(a, b)] = min(s.shift[pairOf(a, b)], 1)
			}
		}
		for _, b := range cases(three[1]) {
			for _, c := range cases(three[2]) {
				s.shift[pairOf(b, c)] = 0
				s.bucket[pairOf(b, c)] = append(s.bucket[pairOf(b, c)], uint8(n))
			}
		}
	}
	return s
}

func cases(c byte) []byte {
	if 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// scan returns the triggers in b.
func (s *scanner) scan(b []byte) (t trigger) {
	for i := 2; i < len(b); {
		pair := pairOf(b[i-1], b[i])
		if skip := s.shift[pair]; skip != 0 {
			i += int(skip)
			continue
		}
		for _, n := range s.bucket[pair] {
			w := &triggerWords[n]
			if from := i - 2 - w.at; t&w.t == 0 && hasFoldAt(b, from, w.word) {
				t |= w.t
			}
		}
		i++
	}
	return t
}

// hasFoldAt reports whether the lower-case word stands at b[from:], in any case.
func hasFoldAt(b []byte, from int, word string) bool {
	if from < 0 || from+len(word) > len(b) {
		return false
	}
	for i := range len(word) {
		c := b[from+i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
