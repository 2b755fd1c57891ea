package detect

import "bytes"

// States of an escape sequence, which may be cut anywhere.
const (
	ground  = iota
	begun   // after ESC
	control // a control sequence, ESC [ …
	command // an operating system command or other string, up to BEL or ESC \
	closing // ESC inside a command
	charset // one more byte belongs to it
)

// maxCommand bounds a command: an unfinished one must not swallow the rest.
const maxCommand = 8 << 10

// maxColumns is how far to the right a sequence may move the cursor.
const maxColumns = 1 << 10

type escape struct {
	state  int
	params [4]int
	n      int // parameters begun
	length int // of a command so far
	marked bool
}

func (e *escape) start() { *e = escape{state: begun} }

// escaped consumes bytes of an escape sequence and returns how many.
func (s *screen) escaped(p []byte, to sink) int {
	e := &s.esc
	for i, c := range p {
		switch e.state {
		case begun:
			s.second(c)
		case control:
			if !e.parameter(c) {
				e.state = ground
				switch {
				case 0x40 <= c && c <= 0x7e:
					s.sequence(c, to)
				case c == 0x1b:
					e.start()
				case c == '\n', c == '\r':
					s.control(c, to)
				}
			}
		case command:
			return i + s.commandText(p[i:], to)
		case closing:
			e.state = command
			if c == '\\' {
				e.state = ground
			}
		case charset:
			e.state = ground
		}
		if e.state == ground {
			return i + 1
		}
	}
	return len(p)
}

// second takes the byte after ESC.
func (s *screen) second(c byte) {
	e := &s.esc
	e.state = ground
	switch c {
	case '[':
		e.state = control
	case ']', 'P', 'X', '^', '_':
		e.state = command
	case '(', ')', '*', '+', '#', '%', ' ':
		e.state = charset
	case 0x1b:
		e.state = begun
	case 'M':
		s.move(s.row-1, s.column())
	case '7':
		s.saved = [2]int{s.row, s.column()}
	case '8':
		s.move(s.saved[0], s.saved[1])
	}
}

// parameter takes one byte of a control sequence before its last.
func (e *escape) parameter(c byte) bool {
	switch {
	case '0' <= c && c <= '9':
		e.n = max(e.n, 1)
		if e.n <= len(e.params) {
			v := &e.params[e.n-1]
			*v = min(*v*10+int(c-'0'), 9999)
		}
	case c == ';', c == ':':
		e.n = max(e.n, 1) + 1
	case c == '?', c == '>', c == '<', c == '=':
		e.marked = true
	case 0x20 <= c && c < 0x30:
	default:
		return false
	}
	return true
}

// param is the n-th parameter, def if it is missing or zero.
func (e *escape) param(n, def int) int {
	if n < e.n && n < len(e.params) && e.params[n] > 0 {
		return e.params[n]
	}
	return def
}

// commandText skips the text of a command. A newline ends it, as no title or
// link holds one: a broken sequence must not hide what follows.
func (s *screen) commandText(p []byte, to sink) int {
	e := &s.esc
	p = p[:min(len(p), maxCommand+1-e.length)]
	n := bytes.IndexAny(p, "\a\x1b\n")
	if n < 0 {
		if e.length += len(p); e.length > maxCommand {
			e.state = ground
		}
		return len(p)
	}
	e.length += n
	switch p[n] {
	case 0x1b:
		e.state = closing
	case '\n':
		e.state = ground
		s.newline(to)
	default:
		e.state = ground
	}
	return n + 1
}

// sequence carries out a whole control sequence as far as it moves or erases.
func (s *screen) sequence(c byte, to sink) {
	e := &s.esc
	n := e.param(0, 1)
	switch c {
	case 'A':
		s.move(s.row-n, s.column())
	case 'F':
		s.move(s.row-n, 0)
	case 'B', 'e':
		s.move(s.row+n, s.column())
	case 'E':
		s.move(s.row+n, 0)
	case 'C', 'a':
		at := s.column()
		s.move(s.row, min(at+n, max(at, maxColumns)))
	case 'D':
		s.move(s.row, s.column()-n)
	case 'G', '`':
		s.move(s.row, min(n, maxColumns)-1)
	case 'd':
		s.hold()
		s.move(n-1, s.column())
	case 'H', 'f':
		s.hold()
		s.move(n-1, min(e.param(1, 1), maxColumns)-1)
	case 'J':
		s.eraseBelow(e.param(0, 0), to)
	case 'K':
		s.eraseLine(e.param(0, 0))
	case 's':
		s.saved = [2]int{s.row, s.column()}
	case 'u':
		if !e.marked {
			s.move(s.saved[0], s.saved[1])
		}
	case 'h':
		if e.marked && e.params[0] == 1049 {
			s.clear(to)
		}
	}
}

func (s *screen) eraseLine(mode int) {
	r := s.cursor()
	s.size -= len(*r)
	at := s.column()
	from, _ := cellOffset(*r, at)
	switch mode {
	case 0:
		*r = (*r)[:from]
	case 1:
		for i := range from {
			(*r)[i] = ' '
		}
	case 2:
		*r = (*r)[:0]
	}
	s.size += len(*r)
	s.col, s.inside = at, at != cells(*r)
}

func (s *screen) eraseBelow(mode int, to sink) {
	if mode != 0 {
		if mode == 2 || mode == 3 {
			s.clear(to)
		}
		return
	}
	s.eraseLine(0)
	for len(s.rows) > s.row+1 {
		last := len(s.rows) - 1
		s.size -= len(s.rows[last])
		s.recycle(last, maxSpares)
		s.rows = s.rows[:last]
	}
}

// clear empties the screen. What stood there has been read by then: it is
// passed on, unless it is a window that is about to be drawn again.
func (s *screen) clear(to sink) {
	if !s.window {
		s.flush(to)
	}
	for i := range s.rows {
		s.recycle(i, maxSpares)
	}
	s.rows, s.size, s.window = s.rows[:0], 0, true
	s.move(0, 0)
}
