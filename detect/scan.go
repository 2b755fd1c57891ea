package detect

// A trigger says what a word in a line may be about. A line without any is
// never looked at by a rule.
type trigger uint8

const (
	triggerLimit   trigger = 1 << iota // a word of a limit, an overload or an unknown model
	triggerWork                        // a tool's output, or a count of changes
	triggerSession                     // a session's id
	triggerRetry                       // a client's own wait
)

type triggerWord struct {
	word string
	at   int
	t    trigger
}

// triggerWords are looked for in every line, without regard to case. at is
// where in the word the four bytes stand that the scanner looks for first:
// chosen to be rare in prose and code.
//
// Numbers at the start of a line and code fences are looked for apart.
var triggerWords = []triggerWord{
	{"limit", 1, triggerLimit},
	{"quota", 0, triggerLimit},
	{" 429", 0, triggerLimit},
	{"(429", 0, triggerLimit},
	{":429", 0, triggerLimit},
	{" 402", 0, triggerLimit},
	{"(402", 0, triggerLimit},
	{" 529", 0, triggerLimit},
	{"(529", 0, triggerLimit},
	{"too many", 2, triggerLimit},
	{"overload", 4, triggerLimit},
	{"exhaust", 1, triggerLimit},
	{"exceed", 1, triggerLimit},
	{"capacity", 1, triggerLimit},
	{"demand", 0, triggerLimit},
	{"credit", 0, triggerLimit},
	{"allowance", 0, triggerLimit},
	{"spend", 1, triggerLimit},
	{"usage", 0, triggerLimit},
	{"throttl", 3, triggerLimit},
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
	{"limite", 2, triggerLimit},
	{"kontingent", 5, triggerLimit},
	{"上限", 2, triggerLimit},
	{"限额", 2, triggerLimit},
	{"限制", 2, triggerLimit},
	{"制限", 2, triggerLimit},
	{"额度", 2, triggerLimit},
	{"額度", 2, triggerLimit},
	{"한도", 2, triggerLimit},
	{"retrying", 4, triggerRetry},
	{"retry-after", 4, triggerRetry},
	{"  └ ", 2, triggerWork},
	{"  │ ", 2, triggerWork},
	{"  ⎿ ", 2, triggerWork},
	{"changes   ", 4, triggerWork},
	{"succeeded in", 2, triggerWork},
	{"resume=", 3, triggerSession},
	{"session id:", 6, triggerSession},
}

var triggers = newScanner(triggerWords)

// A scanner is one after Wu and Manber: it looks at every third pair of bytes,
// and compares words only where a pair ends one of their rare fours.
type scanner struct {
	words  []triggerWord
	shift  [1 << 14]uint8   // by pair: how far the next look may be
	bucket [1 << 14][]uint8 // by pair: words whose four ends with it
}

func pairOf(a, b byte) int { return int(a&0x7f)<<7 | int(b&0x7f) }

func newScanner(words []triggerWord) *scanner {
	s := &scanner{words: words}
	for i := range s.shift {
		s.shift[i] = 3
	}
	for n, w := range words {
		four := w.word[w.at : w.at+4]
		for i := range 3 {
			for _, a := range cases(four[i]) {
				for _, b := range cases(four[i+1]) {
					p := pairOf(a, b)
					s.shift[p] = min(s.shift[p], uint8(2-i))
					if i == 2 {
						s.bucket[p] = append(s.bucket[p], uint8(n))
					}
				}
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
	for i := 3; i < len(b); {
		pair := pairOf(b[i-1], b[i])
		if skip := s.shift[pair]; skip != 0 {
			i += int(skip)
			continue
		}
		for _, n := range s.bucket[pair] {
			w := &s.words[n]
			if from := i - 3 - w.at; t&w.t == 0 && hasFoldAt(b, from, w.word) {
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
