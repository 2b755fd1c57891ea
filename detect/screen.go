package detect

import (
	"bytes"
	"unicode/utf8"
)

const (
	maxRow    = 64 << 10 // bytes kept of a row: what follows is dropped
	maxHeld   = 16 << 10 // of a row that the cursor may come back to
	maxWindow = 48 << 10 // bytes of such rows, and one row more
	maxRows   = 120
	usual     = 256     // bytes of storage for a new row
	loose     = 512     // bytes of storage that a row may have and not use
	maxSpare  = 2 << 10 // bytes of storage that is kept for the next row
	maxSpares = 4
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
	part   [utf8.UTFMax]byte // a character over which a piece was cut, while others stand behind the cursor
	parts  int               // its bytes so far
}

// write shows the screen a piece; every row that is final goes to a sink.
func (s *screen) write(p []byte, to sink) {
	if s.parts > 0 {
		p = s.complete(p)
	}
	plain := linesOf(p)
	for at, start := 0, true; at < len(p); { // start of the piece or of a line: only there whole lines are tried
		switch {
		case start && p[at] != 0x1b && s.fresh():
			s.began = s.seq
			at, start = plain.pass(at, to), false
		case start && p[at] != 0x1b && s.atEnd():
			s.began = s.seq
			at, start = s.scroll(&plain, at, to), false
		case s.esc.state != ground:
			at, start = at+s.escaped(p[at:], to), false
		case isControl(p[at]):
			s.control(p[at], to)
			start = p[at] == '\n'
			at++
		default:
			n := printable(p[at:])
			s.put(p[at:at+n], at+n == len(p))
			at, start = at+n, false
		}
	}
}

// fresh reports that the stream is at the start of a line with nothing held.
func (s *screen) fresh() bool {
	return !s.window && s.esc.state == ground && !s.inside && (len(s.rows) == 0 || len(s.rows[0]) == 0)
}

// atEnd reports that the cursor is at the start of a line below all that a window
// holds.
func (s *screen) atEnd() bool {
	return s.window && s.esc.state == ground && !s.inside && s.row == max(len(s.rows), 1)-1 && s.size <= maxWindow && len(*s.cursor()) == 0
}

// cursor is the row to write to.
func (s *screen) cursor() *[]byte {
	for s.row >= len(s.rows) {
		var r []byte
		if n := len(s.spare); n > 0 {
			r, s.spare = s.spare[n-1], s.spare[:n-1]
		} else {
			r = make([]byte, 0, usual)
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

// put writes text; last that the piece ends with it.
func (s *screen) put(text []byte, last bool) {
	r := s.cursor()
	if len(*r) == 0 {
		s.began = s.seq
	}
	most := s.most(*r)
	s.size -= len(*r)
	if !s.inside {
		*r = append(*r, text[:min(len(text), max(most-len(*r), 0))]...)
	} else {
		if last {
			text = s.whole(text)
		}
		s.overwrite(r, text[:min(len(text), maxRow)], most)
		if !s.inside { // behind all that stands there, after all
			*r = append(*r, s.part[:min(s.parts, max(most-len(*r), 0))]...)
			s.parts = 0
		}
	}
	s.size += len(*r)
}

// most is how long the cursor's row may become.
func (s *screen) most(r []byte) int {
	if !s.window {
		return maxRow
	}
	return min(maxHeld, len(r)+maxWindow+maxHeld-s.size)
}

// whole keeps back a character at the end of text that is not whole: how many
// cells are overwritten depends on it.
func (s *screen) whole(text []byte) []byte {
	from := len(text) - 1
	for from > 0 && len(text)-from < utf8.UTFMax && !utf8.RuneStart(text[from]) {
		from--
	}
	if utf8.FullRune(text[from:]) {
		return text
	}
	s.parts = copy(s.part[:], text[from:])
	return text[:from]
}

// complete takes the rest of a character that was kept back off p.
func (s *screen) complete(p []byte) []byte {
	for len(p) > 0 && !utf8.FullRune(s.part[:s.parts]) && !utf8.RuneStart(p[0]) {
		s.part[s.parts] = p[0]
		s.parts++
		p = p[1:]
	}
	if len(p) > 0 || utf8.FullRune(s.part[:s.parts]) {
		n := s.parts
		s.parts = 0
		s.put(s.part[:n], false)
	}
	return p
}

// overwrite writes text over the cells from the cursor on, up to most bytes.
func (s *screen) overwrite(r *[]byte, text []byte, most int) {
	width := cells(text)
	*r = halve(halve(*r, s.col), s.col+width)
	from, short := cellOffset(*r, s.col)
	for ; short > 0 && len(*r) < most; short-- {
		*r = append(*r, ' ')
		from++
	}
	to, _ := cellOffset((*r)[from:], width)
	to += from
	s.buf = append(append(append(s.buf[:0], (*r)[:from]...), text...), (*r)[to:]...)
	*r = append((*r)[:0], s.buf[:min(len(s.buf), most)]...)
	s.col += width
	s.inside = from+len(text) < len(*r)
	if cap(s.buf) > maxSpare {
		s.buf = nil
	}
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
	r := s.cursor()
	s.inside, s.col = false, 0
	if !s.window {
		to.row(*r, false)
		*r, s.size = (*r)[:0], 0
		return
	}
	s.fit(r)
	s.row++
	s.inside = len(*s.cursor()) > 0
	for len(s.rows) > maxRows || s.size > maxWindow && s.row > 0 {
		to.row(s.rows[0], false)
		s.drop(maxSpares)
	}
}

// drop removes the first row, which is final.
func (s *screen) drop(spares int) {
	s.size -= len(s.rows[0])
	s.recycle(0, spares)
	s.rows = s.rows[1:]
	s.row = max(s.row-1, 0)
}

// recycle takes a row's storage away, and keeps it if there are not so many.
func (s *screen) recycle(i, spares int) {
	if r := s.rows[i]; len(s.spare) < spares && cap(r) <= maxSpare {
		s.spare = append(s.spare, r[:0])
	}
	s.rows[i] = nil
}

// fit gives a row that the cursor leaves no more storage than it needs.
func (s *screen) fit(r *[]byte) {
	if cap(*r) > loose+len(*r)*5/4 {
		*r = bytes.Clone(*r)
	}
}

// hold begins the window: the cursor may come back from now on.
func (s *screen) hold() {
	if s.window {
		return
	}
	s.window = true
	if r := s.cursor(); len(*r) > maxHeld {
		*r, s.size = (*r)[:maxHeld], maxHeld
		s.fit(r)
	}
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
		if s.hold(); s.row < len(s.rows) {
			s.fit(&s.rows[s.row])
		}
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
