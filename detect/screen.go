package detect

import (
	"unicode/utf8"
)

const (
	maxRow    = 64 << 10  // bytes kept of a row: what follows is dropped
	maxWindow = 160 << 10 // bytes of rows that a cursor may still come back to
	maxRows   = 120
)

// A screen turns a stream into rows of text as a person reads them: escape
// sequences are gone, what was drawn over is gone. A row is final once the
// cursor cannot come back to it: at its newline for a stream without vertical
// moves, when it leaves the window for one with them.
type screen struct {
	esc    escape
	rows   [][]byte // the window; at least the cursor's row once anything was written
	row    int      // the cursor's row
	col    int      // the cursor's column, if atEnd is false
	inside bool     // the cursor is not at the row's end
	window bool     // rows are kept back
	saved  [2]int
	size   int      // bytes in rows
	seq    int      // the feed that is being written
	began  int      // the feed with which the row in hand began
	store  [][]byte // in which rows moves on
	spare  [][]byte
	buf    []byte
}

// write shows the screen a piece; every row that is final goes to a sink.
func (s *screen) write(p []byte, to sink) {
	plain := linesOf(p)
	for at, start := 0, true; at < len(p); { // start of the piece or of a line: only there whole lines are tried
		switch {
		case start && s.fresh():
			s.began = s.seq
			at, start = plain.pass(at, to), false
		case s.esc.state != ground:
			at, start = at+s.escaped(p[at:], to), false
		case isControl(p[at]):
			s.control(p[at], to)
			start = p[at] == '\n'
			at++
		default:
			n := printable(p[at:])
			s.put(p[at : at+n])
			at, start = at+n, false
		}
	}
}

// fresh reports that the stream is at the start of a line with nothing held.
func (s *screen) fresh() bool {
	return !s.window && s.esc.state == ground && !s.inside && (len(s.rows) == 0 || len(s.rows[0]) == 0)
}

// cursor is the row to write to.
func (s *screen) cursor() *[]byte {
	for s.row >= len(s.rows) {
		var r []byte
		if n := len(s.spare); n > 0 {
			r, s.spare = s.spare[n-1], s.spare[:n-1]
		}
		if len(s.rows) == cap(s.rows) { // they have moved to the end of their store
			if s.store == nil || len(s.rows) > len(s.store)/2 {
				s.store = make([][]byte, min(2*len(s.rows)+2, 2*maxRows+4))
			}
			s.rows = s.store[:copy(s.store, s.rows)]
		}
		s.rows = append(s.rows, r[:0])
	}
	return &s.rows[s.row]
}

func (s *screen) put(text []byte) {
	r := s.cursor()
	if len(*r) == 0 {
		s.began = s.seq
	}
	s.size -= len(*r)
	if !s.inside {
		*r = append(*r, text[:min(len(text), maxRow-min(len(*r), maxRow))]...)
	} else {
		s.overwrite(r, text)
	}
	s.size += len(*r)
}

// overwrite writes text over the cells from the cursor on.
func (s *screen) overwrite(r *[]byte, text []byte) {
	from, short := cellOffset(*r, s.col)
	for ; short > 0 && len(*r) < maxRow; short-- {
		*r = append(*r, ' ')
		from++
	}
	width := cells(text)
	to, _ := cellOffset((*r)[from:], width)
	to += from
	s.buf = append(append(append(s.buf[:0], (*r)[:from]...), text...), (*r)[to:]...)
	*r = append((*r)[:0], s.buf[:min(len(s.buf), maxRow)]...)
	s.col += width
	s.inside = from+len(text) < len(*r)
}

func (s *screen) control(c byte, to sink) {
	switch c {
	case '\n':
		s.newline(to)
	case '\r':
		s.move(s.row, 0)
	case '\b':
		s.move(s.row, s.column()-1)
	case 0x1b:
		s.esc.start()
	} // NUL is nothing
}

func (s *screen) newline(to sink) {
	s.cursor()
	s.inside, s.col = false, 0
	if !s.window {
		to.row(s.rows[0], false)
		s.drop()
		return
	}
	s.row++
	s.cursor()
	s.inside = len(s.rows[s.row]) > 0
	for len(s.rows) > maxRows || s.size > maxWindow && s.row > 0 {
		to.row(s.rows[0], false)
		s.drop()
	}
}

// drop removes the first row, which is final.
func (s *screen) drop() {
	first := s.rows[0]
	s.size -= len(first)
	s.rows = s.rows[1:]
	if len(s.spare) < 4 && cap(first) <= maxRow {
		s.spare = append(s.spare, first[:0])
	}
	s.row = max(s.row-1, 0)
}

// column is the cursor's column.
func (s *screen) column() int {
	if s.inside {
		return s.col
	}
	return cells(*s.cursor())
}

// move puts the cursor somewhere. A first vertical move begins the window.
func (s *screen) move(row, col int) {
	if row != s.row {
		s.window = true
	}
	s.row = min(max(row, 0), maxRows-1)
	s.col = min(max(col, 0), maxRow)
	r := *s.cursor()
	s.inside = s.col < len(r) || s.col > 0 && s.col != cells(r)
}

// flush passes on what is held back, without forgetting it.
func (s *screen) flush(to sink) {
	for i, r := range s.rows {
		if i < len(s.rows)-1 || len(r) > 0 {
			to.row(r, false)
		}
	}
}

// cellOffset is the byte at which cell n begins, and how many cells are missing.
func cellOffset(r []byte, n int) (offset, short int) {
	for n > 0 && offset < len(r) {
		c, size := utf8.DecodeRune(r[offset:])
		n -= cellsOf(c)
		offset += size
	}
	return offset, max(n, 0)
}

func cells(r []byte) (n int) {
	for len(r) > 0 {
		if r[0] < utf8.RuneSelf {
			n, r = n+1, r[1:]
			continue
		}
		c, size := utf8.DecodeRune(r)
		n, r = n+cellsOf(c), r[size:]
	}
	return n
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
