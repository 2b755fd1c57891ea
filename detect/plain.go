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

// next is where the line that begins at from ends, and where the next begins, if
// it is whole and plain.
func (l *lines) next(from int) (end, next int, ok bool) {
	if l.stop < from {
		l.look(from)
	}
	end = nextByte(l.p, from, '\n')
	if end >= l.stop || end-from > maxRow {
		return from, from, false
	}
	if l.cr < from {
		l.cr = nextByte(l.p, from, '\r')
	}
	switch next = end + 1; {
	case l.cr > end:
		return end, next, true
	case l.cr == end-1:
		return l.cr, next, true
	}
	return from, from, false
}

// pass passes the plain lines from at on as they are and returns where they
// end: at the first that needs work, or is unfinished.
func (l *lines) pass(at int, to sink) int {
	end, next, ok := l.next(at)
	if !ok {
		return at
	}
	d := dull{to: to, sieve: triggerSieve()}
	d.begin()
	for ; ok; end, next, ok = l.next(at) {
		if l.word < at && end > at && l.p[at] != '{' {
			l.word = d.sieve.trigger(l.p, at, d.known)
		}
		if quiet := l.word >= end && !d.belowCross(); !quiet || !d.take(l.p[at:end]) {
			d.loud(l.p[at:end], quiet)
		}
		at = next
	}
	d.end()
	return at
}

// A dull takes lines that change nothing but what stands above the next: they
// are only counted, and the last of them kept. They have to stay as they are up
// to its end.
type dull struct {
	to    sink
	calm  bool    // lines may be dull now
	known trigger // what one more word says nothing new of
	prev  []byte  // the latest line, as far as it is kept
	n     int
	last  [recentRows][]byte
	sieve *sieve
}

func (d *dull) begin() {
	r := d.to.run
	d.calm, d.n = r.calm(d.to.id), 0
	d.prev = r.streams[d.to.id].back(0)
	if r.work {
		d.known = triggerWork
	}
}

// row passes a line on.
func (d *dull) row(line []byte) {
	if !d.calm || d.belowCross() || d.sieve.trigger(line, 0, d.known) < len(line) || !d.take(line) {
		d.loud(line, false)
	}
}

// loud passes on a line that is not dull.
func (d *dull) loud(line []byte, quiet bool) {
	if d.n > 0 {
		d.end()
	}
	d.to.row(line, quiet)
	d.begin()
}

// belowCross reports that what is known says nothing of the next line: it may be
// a failed agent's.
func (d *dull) belowCross() bool { return d.known != 0 && hasCross(d.prev) }

// take takes a line in which no trigger stands, if it is dull.
func (d *dull) take(line []byte) bool {
	if !d.calm || !isDull(line) || cutWord(d.prev, line) {
		return false
	}
	d.last[d.n%recentRows] = line
	d.n++
	d.prev = line[:min(len(line), rowBytes)]
	return true
}

func (d *dull) end() {
	s := &d.to.run.streams[d.to.id]
	kept := min(d.n, recentRows)
	s.n += d.n - kept
	for i := d.n - kept; i < d.n; i++ {
		s.pushText(d.last[i%recentRows])
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
	return line[len(line)-1] != '{' || !hasRror(line)
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
