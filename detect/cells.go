package detect

import (
	"encoding/binary"
	"unicode/utf8"
)

// cellOffset is the byte at which cell n begins, behind the marks that belong to
// the cell before, and how many cells are missing: -1 if it is the second half
// of a wide character, which stands before the offset.
func cellOffset(r []byte, n int) (offset, short int) {
	for offset < len(r) {
		if n >= 8 && ascii8(r[offset:]) {
			n, offset = n-8, offset+8
			continue
		}
		c, size := utf8.DecodeRune(r[offset:])
		width := cellsOf(c)
		if n <= 0 && width > 0 {
			break
		}
		n -= width
		offset += size
	}
	return offset, n
}

// halve makes the character of which cell n is the second half two blanks.
func halve(r []byte, n int) []byte {
	if _, short := cellOffset(r, n); short >= 0 {
		return r
	}
	for i := 0; ; {
		c, size := utf8.DecodeRune(r[i:])
		if n -= cellsOf(c); n < 0 {
			return append(append(r[:i:i], "  "...), r[i+size:]...)
		}
		i += size
	}
}

func cells(r []byte) (n int) {
	for len(r) > 0 {
		if ascii8(r) {
			n, r = n+8, r[8:]
			continue
		}
		c, size := utf8.DecodeRune(r)
		n, r = n+cellsOf(c), r[size:]
	}
	return n
}

// ascii8 reports that eight bytes of ASCII come next: eight cells.
func ascii8(r []byte) bool {
	return len(r) >= 8 && binary.LittleEndian.Uint64(r)&0x8080808080808080 == 0
}

// cellsOf is how many cells a rune takes, well enough for text and emoji.
func cellsOf(c rune) int {
	switch {
	case c < 0x300:
		return 1
	case c < 0x370, c == 0x200b, c == 0x200d, c == 0xfeff, 0xfe00 <= c && c <= 0xfe0f:
		return 0
	case 0x1100 <= c && c < 0x1160, 0x2e80 <= c && c < 0xa4d0, 0xac00 <= c && c < 0xd7a4,
		0xf900 <= c && c < 0xfb00, 0xfe30 <= c && c < 0xfe70, 0xff00 <= c && c < 0xff61, 0x1f300 <= c && c < 0x1fb00:
		return 2
	}
	return 1
}
