package detect

import "bytes"

const (
	recentRows = 32
	rowBytes   = 800 // kept of a recent row
)

// A side is one stream as far as its lines depend on each other.
type side struct {
	rows [recentRows]recent
	thread
}

// A thread is what a line may go on with.
type thread struct {
	n      int // rows so far
	open   int // rows for which a notice may still go on
	begun  int // rows in which one that began may still become whole
	fence  bool
	asked  bool // inside the echo of the prompt (codex)
	object []byte
	body   string // an error that goes on with a JSON body over several lines

	thing   string // the last object that was no event
	thingAt int    // its row
}

type recent struct {
	n   int
	buf [rowBytes]byte
}

func (r *recent) bytes() []byte { return r.buf[:r.n] }

// back returns the row k before the latest.
func (s *side) back(k int) []byte {
	if k >= s.n || k >= recentRows {
		return nil
	}
	return s.rows[(s.n-1-k)%recentRows].bytes()
}

// pushText keeps a row, nothing of one that is blank.
func (s *side) pushText(b []byte) {
	if len(trimLeft(b)) == 0 {
		b = nil
	}
	s.push(b)
}

func (s *side) push(b []byte) {
	r := &s.rows[s.n%recentRows]
	r.n = copy(r.buf[:], b)
	s.n++
}

// gateAbove reports that a row above, of which the latest may be the rest, may
// begin a notice.
func (s *side) gateAbove() bool {
	for k := 1; k <= maxJoin; k++ {
		b := s.back(k)
		if len(b) < minWrap-8 {
			return false
		}
		if opens(b) {
			return true
		}
	}
	return false
}

// belowCross reports that the row before began with a cross: a failed agent's.
func (s *side) belowCross() bool { return hasCross(s.back(0)) }

func hasCross(row []byte) bool {
	for len(row) > 0 && row[0] == ' ' {
		row = row[1:]
	}
	return len(row) > 2 && row[0] == 0xe2 && (string(row[:3]) == "✗" || string(row[:3]) == "✘")
}

// section follows the headings between which codex prints, and code fences.
func (s *side) section(b []byte) {
	if bytes.HasPrefix(b, []byte("```")) {
		s.fence = !s.fence
	}
	switch string(b) {
	case "user":
		s.asked = true
	case "codex", "thinking", "exec":
		s.asked = false
	}
}

// cutWord reports that the end of a row and the start of the next make a word
// that matters.
func cutWord(a, b []byte) bool {
	if len(a) < minWrap-12 || len(b) == 0 || !isEdge(a[len(a)-1]) || !isEdge(b[0]) {
		return false
	}
	if !isAlnum(a[len(a)-1]) {
		a = bytes.TrimRight(a, " │┃|")
	}
	b = trimBorder(b)
	if len(a) < minWrap-12 || len(b) == 0 || !isAlnum(a[len(a)-1]) || !isAlnum(b[0]) {
		return false
	}
	var both [24]byte
	n := copy(both[:12], a[max(0, len(a)-12):])
	n += copy(both[n:], b[:min(12, len(b))])
	return triggersIn(both[:n])&triggerLimit != 0
}

// trimBorder takes the blanks and borders off the start of a row.
func trimBorder(b []byte) []byte {
	for len(b) > 0 {
		switch {
		case b[0] == ' ', b[0] == '|':
			b = b[1:]
		case len(b) > 2 && b[0] == 0xe2 && (string(b[:3]) == "│" || string(b[:3]) == "┃"):
			b = b[3:]
		default:
			return b
		}
	}
	return b
}

// isEdge reports that a row that a screen has cut may end or go on with c: with
// a part of a word, or with the blanks and borders around it.
func isEdge(c byte) bool { return isAlnum(c) || c >= 0x80 || c == ' ' || c == '|' }
