package detect

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
)

// A sieve finds the places where one of many words may stand, two bytes at a
// time. Each word is known by four bytes of its rare five, the first four or
// the last: of the two, one begins at an even place, wherever the word stands.
// The four are looked up as two pairs. A pair's low bits are the words that it
// begins, its high bits those that it ends; a place is worth a look where both
// agree on a word. Sixteen bits make a few words share one, which costs a look
// now and then.
type sieve struct {
	pairs   [1 << 16]uint32
	classes [wordClasses][]sieveWord
}

const wordClasses = 16

// A sieveWord is a word with the fours by which it is known, the blank's bit set
// in each byte, so that case does not matter.
type sieveWord struct {
	triggerWord
	first, last, mask uint32 // of the last, which may be three
}

const blanksOfFour = 0x20202020

var triggerSieve = sync.OnceValue(func() *sieve {
	s := new(sieve)
	for n, w := range triggerWords {
		class, rare, mask := n%wordClasses, []byte(w.word[w.at:]), uint32(math.MaxUint32)
		if len(rare) == 4 {
			mask >>= 8
		}
		s.add(w, 1<<class)
		s.classes[class] = append(s.classes[class], sieveWord{w, four(rare, 0) | blanksOfFour, (four(rare, 1) | blanksOfFour) & mask, mask})
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
			s.pairs[uint16(x)|uint16(y)<<8] |= bits
		}
	}
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// next is the first place in b[from:], an even number of bytes behind from, where
// a word's four bytes may stand; len(b) if there is none.
func (s *sieve) next(b []byte, from int) int {
	i, last := from, uint32(0)
	for ; i+8 <= len(b); i += 8 {
		v := binary.LittleEndian.Uint64(b[i : i+8])
		p, q, r, t := s.pairs[uint16(v)], s.pairs[uint16(v>>16)], s.pairs[uint16(v>>32)], s.pairs[uint16(v>>48)]
		if last&(p>>wordClasses)|p&(q>>wordClasses)|q&(r>>wordClasses)|r&(t>>wordClasses) != 0 {
			return s.exact(b, max(from, i-2))
		}
		last = t
	}
	if v := rest(b, i); v != 0 {
		p, q, r, t := s.pairs[uint16(v)], s.pairs[uint16(v>>16)], s.pairs[uint16(v>>32)], s.pairs[uint16(v>>48)]
		if last&(p>>wordClasses)|p&(q>>wordClasses)|q&(r>>wordClasses)|r&(t>>wordClasses) != 0 {
			return s.exact(b, max(from, i-2))
		}
	}
	return len(b)
}

// rest is b[i:], which is shorter than eight bytes, and zeros.
func rest(b []byte, i int) (v uint64) {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:]) >> (64 - 8*(len(b)-i))
	}
	for k := len(b) - 1; k >= i; k-- {
		v = v<<8 | uint64(b[k])
	}
	return v
}

// exact is next, one place after the other.
func (s *sieve) exact(b []byte, from int) int {
	for i := from; i+3 <= len(b); i += 2 { // of a short word, three may be the last
		if s.agree(four(b, i)) != 0 {
			return i
		}
	}
	return len(b)
}

// agree are the classes of the words that four bytes may be of.
func (s *sieve) agree(four uint32) uint32 {
	return s.pairs[uint16(four)] & (s.pairs[four>>16] >> wordClasses)
}

// four is b[i:i+4], with zeros behind the end of b.
func four(b []byte, i int) uint32 {
	if i+4 <= len(b) {
		return binary.LittleEndian.Uint32(b[i:])
	}
	return uint32(rest(b, i))
}

// words returns the triggers of the words in b that are known by the four bytes
// at i.
func (s *sieve) words(b []byte, i int) (t trigger) {
	v := four(b, i)
	low := v | blanksOfFour
	for agree := s.agree(v); agree != 0; agree &= agree - 1 {
		for _, w := range s.classes[bits.TrailingZeros32(agree)] {
			if low == w.first && hasFoldAt(b, i-w.at, w.word) || low&w.mask == w.last && hasFoldAt(b, i-w.at-1, w.word) {
				t |= w.t
			}
		}
	}
	return t
}

// triggers returns the triggers in b.
func (s *sieve) triggers(b []byte) (t trigger) {
	for i := s.next(b, 0); i < len(b); i = s.next(b, i+2) {
		t |= s.words(b, i)
	}
	return t
}

// triggersIn returns the triggers in b.
func triggersIn(b []byte) trigger { return triggerSieve().triggers(b) }

// trigger is a place at or before the first word in b[from:] that triggers
// something else than what is known, with none between from and it; len(b) if
// there is none.
func (s *sieve) trigger(b []byte, from int, known trigger) int {
	for i := s.next(b, from); i < len(b); i = s.next(b, i+2) {
		if s.words(b, i)&^known != 0 {
			return max(from, i-beforeRare)
		}
	}
	return len(b)
}

// beforeRare is how many bytes of a word stand before its last rare four, at most.
const beforeRare = 7
