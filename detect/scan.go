package detect

import (
	"encoding/binary"
	"strings"
	"sync"
)

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
// where in the word the five bytes stand by which it is known (all four of a
// short one): chosen to be rare in prose and code.
//
// Numbers at the start of a line and code fences are looked for apart.
var triggerWords = []triggerWord{
	{"limit", 0, triggerLimit},
	{"quota", 0, triggerLimit},
	{" 429", 0, triggerLimit},
	{"(429", 0, triggerLimit},
	{":429", 0, triggerLimit},
	{" 402", 0, triggerLimit},
	{"(402", 0, triggerLimit},
	{" 529", 0, triggerLimit},
	{"(529", 0, triggerLimit},
	{"too many", 2, triggerLimit},
	{"overload", 3, triggerLimit},
	{"exhaust", 1, triggerLimit},
	{"exceed", 1, triggerLimit},
	{"capacity", 1, triggerLimit},
	{"demand", 0, triggerLimit},
	{"credit", 0, triggerLimit},
	{"allowance", 0, triggerLimit},
	{"spend", 0, triggerLimit},
	{"usage", 0, triggerLimit},
	{"throttl", 2, triggerLimit},
	{"model", 0, triggerLimit},
	{"you've", 1, triggerLimit},
	{"you’ve", 1, triggerLimit},
	{"you have", 2, triggerLimit},
	{"you're out", 2, triggerLimit},
	{"you’re out", 1, triggerLimit},
	{"sorry", 0, triggerLimit},
	{"payment re", 1, triggerLimit},
	{"high-freq", 3, triggerLimit},
	{"upgrade to", 0, triggerLimit},
	{"límite", 0, triggerLimit},
	{"limite", 1, triggerLimit},
	{"kontingent", 5, triggerLimit},
	{"上限", 1, triggerLimit},
	{"限额", 1, triggerLimit},
	{"限制", 1, triggerLimit},
	{"制限", 1, triggerLimit},
	{"额度", 1, triggerLimit},
	{"額度", 1, triggerLimit},
	{"한도", 1, triggerLimit},
	{"retrying", 3, triggerRetry},
	{"retry-after", 4, triggerRetry},
	{"  └ ", 1, triggerWork},
	{"  │ ", 1, triggerWork},
	{"  ⎿ ", 1, triggerWork},
	{"changes   ", 4, triggerWork},
	{"succeeded in", 2, triggerWork},
	{"resume=", 2, triggerSession},
	{"session id:", 6, triggerSession},
}

// A scanner looks at every second three of bytes. Each word is known by two
// threes, of which it meets one, wherever the word stands. The looks do not wait
// for each other, which makes it fast. It is built when it is first needed: the
// start of every run would pay for it.
type scanner struct {
	list  string // of words, separated by |
	whole bool   // words count only between what is no letter or digit

	once  sync.Once
	words []string
	table *[1 << 12]uint8 // by three: the bucket, 0 = none
	lists [][]place
}

// A place is a word, and where in it a three stands.
type place struct {
	word uint8
	at   uint8
}

// three is a hash of the low three bytes of v, without regard to case.
func three(v uint32) uint32 { return (v & 0x00dfdfdf) * 0x9e3779b1 >> 20 }

func (s *scanner) build() {
	s.words = strings.Split(s.list, "|")
	s.table, s.lists = new([1 << 12]uint8), make([][]place, 1)
	for n, w := range s.words {
		for at := range 2 {
			h := three(uint32(w[at]) | uint32(w[at+1])<<8 | uint32(w[at+2])<<16)
			if s.table[h] == 0 {
				s.table[h] = uint8(len(s.lists))
				s.lists = append(s.lists, nil)
			}
			l := &s.lists[s.table[h]]
			*l = append(*l, place{uint8(n), uint8(at)})
		}
	}
}

// in reports that one of the words stands in b, in any case.
func (s *scanner) in(b []byte) bool {
	s.once.Do(s.build)
	i := 0
	for ; i+4 <= len(b); i += 2 {
		if list := s.table[three(binary.LittleEndian.Uint32(b[i:]))]; list != 0 && s.confirm(b, i, list) {
			return true
		}
	}
	if i+3 > len(b) {
		return false
	}
	list := s.table[three(uint32(b[i])|uint32(b[i+1])<<8|uint32(b[i+2])<<16)]
	return list != 0 && s.confirm(b, i, list)
}

// confirm compares the words of a list, of which a three stands at b[i:].
func (s *scanner) confirm(b []byte, i int, list uint8) bool {
	for _, p := range s.lists[list] {
		from, w := i-int(p.at), s.words[p.word]
		if hasFoldAt(b, from, w) && (!s.whole || wholeAt(b, from, from+len(w))) {
			return true
		}
	}
	return false
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

// wholeAt reports that b[from:to] is not a part of a longer word.
func wholeAt(b []byte, from, to int) bool {
	return (from == 0 || !isAlnum(b[from]) || !isAlnum(b[from-1])) && (to == len(b) || !isAlnum(b[to-1]) || !isAlnum(b[to]))
}

// parts is a scanner for a list of parts of words, phrases one for whole words.
// None may be shorter than four bytes.
func parts(list string) *scanner { return &scanner{list: list} }

func phrases(list string) *scanner { return &scanner{list: list, whole: true} }
