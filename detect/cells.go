package detect

import (
	"encoding/binary"
	"unicode/utf8"
)

// cellOffset is the byte at which cell n begins, and how many cells are missing.
func cellOffset(r []byte, n int) (offset, short int) {
	for n > 0 && offset < len(r) {
		if n >= 8 && ascii8(r[offset:]) {
			n, offset = n-8, offset+8
			continue
		}
		c, size := utf8.DecodeRune(r[offset:])
		n -= cellsOf(c)
		offset += size
	}
	return offset, max(n, 0)
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
