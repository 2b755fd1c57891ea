package detect

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A sink is where the rows of a stream go.
type sink struct {
	run *run
	id  Stream
}

// row takes a final row. quiet means that no trigger stands in it; false that
// this is not known.
func (k sink) row(b []byte, quiet bool) { k.run.line(k.id, b, quiet) }

// lines are the plain whole lines of a piece, with where in it what matters
// stands next: before the line in hand where that is not known.
type lines struct {
	p       []byte
	cr      int
	control [3]int // ESC, NUL and BS
	stop    int    // the first of them
	word    int    // that triggers, or somewhat before it
}

func linesOf(p []byte) lines {
	return lines{p: p, cr: -1, control: [3]int{-1, -1, -1}, stop: -1, word: -1}
}

// pass passes the plain lines from at on as they are and returns where they
// end: at the first that needs work, or is unfinished. Dull ones are only
// counted, and the last of them kept.
func (l *lines) pass(at int, to sink) int {
	d := dull{to: to, p: l.p}
	d.begin()
	for {
		n := bytes.IndexByte(l.p[at:], '\n')
		if n < 0 || n > maxRow {
			break
		}
		from, end := at, at+n
		if l.look(at); l.stop < end {
			break
		}
		if at = end + 1; l.cr < end {
			if l.cr != end-1 {
				at = from
				break
			}
			end--
		}
		if l.word < from && end > from && l.p[from] != '{' {
			l.word = nextTrigger(l.p, from)
		}
		if quiet := l.word >= end; !quiet || !d.take(from, end) {
			d.end()
			to.row(l.p[from:end], quiet)
			d.begin()
		}
	}
	d.end()
	return at
}

// A dull is a row of lines that change nothing but what stands above the next.
type dull struct {
	to   sink
	p    []byte
	calm bool   // lines may be dull now
	prev []byte // the latest line, as far as it is kept
	n    int
	at   [recentRows][2]int // where the latest stand in p
}

func (d *dull) begin() {
	d.calm, d.n = d.to.run.calm(d.to.id), 0
	d.prev = d.to.run.streams[d.to.id].back(0)
}

// take takes the line p[from:end], in which no trigger stands, if it is dull.
func (d *dull) take(from, end int) bool {
	line := d.p[from:end]
	if !d.calm || !isDull(line) || cutWord(d.prev, line) {
		return false
	}
	d.at[d.n%recentRows] = [2]int{from, end}
	d.n++
	d.prev = line[:min(len(line), rowBytes)]
	return true
}

func (d *dull) end() {
	s := &d.to.run.streams[d.to.id]
	kept := min(d.n, recentRows)
	s.n += d.n - kept
	for i := d.n - kept; i < d.n; i++ {
		at := d.at[i%recentRows]
		s.pushText(d.p[at[0]:at[1]])
	}
}

// isDull reports that a line without a trigger is nothing else of interest: no
// object or status, no heading and no beginning of an error's body.
func isDull(line []byte) bool {
	text := trimLeft(line)
	if len(text) == 0 {
		return true
	}
	switch text[0] {
	case '{', '`', '4', '5':
		return false
	case 'u', 'c', 't', 'e':
		if len(text) <= 8 {
			return false
		}
	}
	return !beginsBody(line)
}

func trimLeft(b []byte) []byte {
	for i, c := range b {
		if c != ' ' && c != '\t' {
			return b[i:]
		}
	}
	return nil
}

// look finds the controls from at on.
func (l *lines) look(at int) {
	if l.cr < at {
		l.cr = nextByte(l.p, at, '\r')
	}
	if l.stop >= at {
		return
	}
	l.stop = len(l.p)
	for i, c := range [...]byte{0x1b, 0, '\b'} {
		if l.control[i] < at {
			l.control[i] = nextByte(l.p, at, c)
		}
		l.stop = min(l.stop, l.control[i])
	}
}

func nextByte(p []byte, from int, c byte) int {
	if n := bytes.IndexByte(p[from:], c); n >= 0 {
		return from + n
	}
	return len(p)
}

// printable is how many bytes of p are text. Controls that mean nothing here
// count as such, the rules do not see them.
func printable(p []byte) int {
	const low, high = 0x2020202020202020, 0x8080808080808080
	i := 0
	for i+8 <= len(p) {
		v := binary.LittleEndian.Uint64(p[i : i+8])
		below := (v - low) &^ v & high // exact up to the first byte below a blank
		if below == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(below) / 8; isControl(p[i]) {
			return i
		}
		i++
	}
	for ; i < len(p); i++ {
		if isControl(p[i]) {
			return i
		}
	}
	return len(p)
}

func isControl(c byte) bool {
	return c == '\n' || c == '\r' || c == 0x1b || c == 0 || c == '\b'
}
