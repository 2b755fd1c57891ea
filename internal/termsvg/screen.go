package termsvg

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// A screen is the text of a session, as long as it needs to be: nothing scrolls
// away.
type screen struct {
	columns int
	rows    []row
	line    int // the cursor
	column  int
	style   style
}

// A row is one line. It appears when the last of it was written.
type row struct {
	cells []cell
	at    time.Duration
}

// A cell holds one character, or "" for the right half of a wide one.
type cell struct {
	text  string
	style style
}

// A style is how a character looks. The zero value is plain.
type style struct {
	bold, dim, italic, underline bool
	colour                       int // 1 + one of the 16 colours; 0 = the terminal's own
}

// play writes a whole recording to an empty screen.
func play(r *Recording) (*screen, error) {
	s := &screen{columns: r.Columns}
	p := ansi.NewParser()
	var state byte
	for offset := 0; offset < len(r.Output); {
		seq, width, n, next := ansi.DecodeSequence(r.Output[offset:], state, p)
		if err := s.write(string(seq), width, p, r.at(offset)); err != nil {
			return nil, err
		}
		state, offset = next, offset+n
	}
	return s, nil
}

func (s *screen) write(seq string, width int, p *ansi.Parser, at time.Duration) error {
	switch {
	case width > 0:
		s.put(seq, width, at)
	case seq == "\n":
		s.line++
	case seq == "\r":
		s.column = 0
	case seq == "\b":
		s.column = max(0, s.column-1)
	case seq == "\t":
		s.column = min(s.columns-1, s.column/8*8+8)
	case ansi.HasOscPrefix(seq): // a title
	case ansi.HasCsiPrefix(seq) && p.Command() == 'm':
		return s.style.set(p.Params(), seq)
	case ansi.HasCsiPrefix(seq) && p.Command() == 'K':
		s.erase(at)
	default:
		return fmt.Errorf("draw %q: only text, colours and whole lines can be drawn", seq)
	}
	return nil
}

func (s *screen) put(text string, width int, at time.Duration) {
	if s.column+width > s.columns {
		s.line, s.column = s.line+1, 0
	}
	r := s.current(at)
	for len(r.cells) < s.column+width {
		r.cells = append(r.cells, cell{text: " "})
	}
	for i := range width {
		r.cells[s.column+i] = cell{style: s.style}
	}
	r.cells[s.column].text = text
	s.column += width
}

// erase removes what is right of the cursor.
func (s *screen) erase(at time.Duration) {
	r := s.current(at)
	r.cells = r.cells[:min(len(r.cells), s.column)]
}

func (s *screen) current(at time.Duration) *row {
	for len(s.rows) <= s.line {
		s.rows = append(s.rows, row{})
	}
	s.rows[s.line].at = at
	return &s.rows[s.line]
}

// set changes a style as a Select Graphic Rendition sequence says.
func (y *style) set(params ansi.Params, seq string) error {
	if len(params) == 0 {
		*y = style{}
	}
	for i := range params {
		code, _, _ := params.Param(i, 0)
		switch {
		case code == 0:
			*y = style{}
		case code == 1:
			y.bold = true
		case code == 2:
			y.dim = true
		case code == 3:
			y.italic = true
		case code == 4:
			y.underline = true
		case code == 22:
			y.bold, y.dim = false, false
		case code == 23:
			y.italic = false
		case code == 24:
			y.underline = false
		case code >= 30 && code <= 37:
			y.colour = 1 + code - 30
		case code >= 90 && code <= 97:
			y.colour = 1 + code - 90 + 8
		case code == 39:
			y.colour = 0
		default:
			return fmt.Errorf("draw %q: only the 16 colours, bold, dim, italic and underlined can be drawn", seq)
		}
	}
	return nil
}
