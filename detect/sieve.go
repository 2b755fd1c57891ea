package detect

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// A sieve finds the places where one of many words may stand, eight bytes at a
// time. Each word is known by four bytes of its rare five, the first four or
// the last: of the two, one begins at an even place, wherever the word stands.
// The four are looked up as two pairs. A pair's low bits are the words that it
// begins, its high bits those that it ends; a place is worth a look where both
// agree on a word. Eight bits make a few words share one, which costs a look
// now and then.
const wordClasses = 16

type sieve [1 << 16]uint32

var triggerSieve = sync.OnceValue(func() *sieve {
	s := new(sieve)
	for n, w := range triggerWords {
		s.add(w, uint32(1)<<(n%wordClasses))
	}
	return s
})

func (s *sieve) add(w triggerWord, bit uint32) {
	rare := w.word[w.at:]
	s.pair(rare[0], rare[1], bit)
	s.pair(rare[2], rare[3], bit<<wordClasses)
	s.pair(rare[1], rare[2], bit)
	if len(rare) > 4 {
		s.pair(rare[3], rare[4], bit<<wordClasses)
		return
	}
	for c := range 256 {
		s.pair(rare[3], byte(c), bit<<wordClasses)
	}
}

// pair adds to what is known of two bytes, in any case.
func (s *sieve) pair(a, b byte, bits uint32) {
	for _, x := range [...]byte{a, upper(a)} {
		for _, y := range [...]byte{b, upper(b)} {
			s[uint16(x)|uint16(y)<<8] |= bits
		}
	}
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// next is the first place in b[from:] where a word's four bytes may stand, or up
// to four behind it; len(b) if there is none.
func (s *sieve) next(b []byte, from int) int {
	i := from
	for ; i+8 <= len(b); i += 6 {
		if s.any(binary.LittleEndian.Uint64(b[i : i+8])) {
			return i
		}
	}
	if i < len(b) && s.any(eight(b, i)) {
		return i
	}
	return len(b)
}

// any reports that a word may stand at the first, third or fifth of eight bytes.
func (s *sieve) any(v uint64) bool {
	p, q, r, t := s[uint16(v)], s[uint16(v>>16)], s[uint16(v>>32)], s[uint16(v>>48)]
	return p&(q>>wordClasses)|q&(r>>wordClasses)|r&(t>>wordClasses) != 0
}

// eight is b[i:i+8], with zeros behind the end of b.
func eight(b []byte, i int) uint64 {
	var v [8]byte
	copy(v[:], b[i:])
	return binary.LittleEndian.Uint64(v[:])
}

// words returns the triggers of the words in b that are known by the four bytes
// at i, i+2 or i+4.
func (s *sieve) words(b []byte, i int) (t trigger) {
	v := eight(b, i)
	for ; v>>16 != 0; i, v = i+2, v>>16 {
		for agree := s[uint16(v)] & (s[uint16(v>>16)] >> wordClasses); agree != 0; agree &= agree - 1 {
			for n := bits.TrailingZeros32(agree); n < len(triggerWords); n += wordClasses {
				w := &triggerWords[n]
				if hasFoldAt(b, i-w.at, w.word) || hasFoldAt(b, i-w.at-1, w.word) {
					t |= w.t
				}
			}
		}
	}
	return t
}

// triggersIn returns the triggers in b.
func triggersIn(b []byte) (t trigger) {
	s := triggerSieve()
	for i := 0; i < len(b); i += 6 {
		if i = s.next(b, i); i < len(b) {
			t |= s.words(b, i)
		}
	}
	return t
}

// nextTrigger is a place at or before the first word in b[from:] that triggers,
// with none between from and it; len(b) if there is none.
func nextTrigger(b []byte, from int) int {
	s := triggerSieve()
	for i := from; i < len(b); i += 6 {
		if i = s.next(b, i); i < len(b) && s.words(b, i) != 0 {
			return max(from, i-beforeRare)
		}
	}
	return len(b)
}

// beforeRare is how many bytes of a word stand before its last rare four, at most.
const beforeRare = 7
