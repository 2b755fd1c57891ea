package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxJoin = 10 // rows of one notice
	minWrap = 34 // 40 columns, the narrowest terminal in use, less borders and padding
)

// notice looks for a notice that ends, so far, with the latest row: in the row
// alone, then with rows before it, as a hard wrap may have cut it.
func (r *run) notice(id Stream, l line) bool {
	s := &r.streams[id]
	var all [maxJoin + 2]line
	rows := all[len(all)-1:]
	rows[0] = l
	var best finding
	found := false
	for k := 0; ; k++ {
		if k == 0 || opens(s.back(k)) && (!found || best.verdict == None || r.d.labelled(rows[0].text)) {
			if f, ok := r.recognizeRows(id, rows); ok && (!found || best.verdict == None || f.verdict != None) {
				best, found = f, true
			}
		}
		above, ok := r.above(s, rows)
		if !ok || k == maxJoin {
			break
		}
		rows = all[len(all)-1-len(rows):]
		rows[0] = above
	}
	if found {
		r.take(best)
		s.open, s.begun = maxJoin, 0
		return true
	}
	s.begun = max(s.begun-1, 0)
	if len(rows) == 1 {
		if s.begun = 0; wrapped(l, "") && opens(s.back(0)) {
			s.begun = maxJoin
		}
	}
	return false
}

// above is the row before the given ones, if they may be its continuation.
func (r *run) above(s *side, rows []line) (line, bool) {
	prev := s.back(len(rows))
	if len(prev) == 0 {
		return line{}, false
	}
	p, head := r.d.line(prev), rows[0]
	first, _ := utf8.DecodeRuneInString(head.text)
	starts := head.bullet != 0 && !head.boxed && !strings.ContainsRune(treeBullets, head.bullet) ||
		!unicode.IsLower(first) && r.d.labelled(head.text) && r.d.labelled(p.text)
	return p, p.text != "" && !starts && wrapped(p, head.text) && oneWidth(p, rows)
}

// oneWidth reports that row and the rows below it can have been wrapped at one
// width: none but the last had room for the first word of the next.
func oneWidth(row line, below []line) bool {
	widest := row.width
	for _, l := range below {
		widest = max(widest, l.width)
	}
	for _, next := range below {
		first, _, _ := strings.Cut(next.text, " ")
		if row.width+1+cells([]byte(first)) <= widest {
			return false
		}
		row = next
	}
	return true
}

// recognizeRows tries the rows as one text: joined by words, and then as a
// screen that knows no words has cut it.
func (r *run) recognizeRows(id Stream, rows []line) (finding, bool) {
	text, hard := joinAll(rows)
	f, ok := r.recognize(id, rows[0], text, len(rows)-1)
	if !ok && hard != "" {
		f, ok = r.recognize(id, rows[0], hard, len(rows)-1)
	}
	if f.when = text; hard != "" {
		f.when += " " + hard
	}
	return f, ok
}

// extend adds the latest row to the notice that it continues.
func (r *run) extend(id Stream) {
	s := &r.streams[id]
	k := s.n - r.last.line
	if k < 1 || k > maxJoin || k >= recentRows {
		return
	}
	r.last.end = s.n
	rows := make([]line, 0, k+1)
	for ; k >= 0; k-- {
		rows = append(rows, r.d.line(s.back(k)))
	}
	text, hard := joinAll(rows)
	r.last.text = cutText(text, 1<<10)
	if r.last.when = cutText(text, 2<<10); hard != "" {
		r.last.when += " " + cutText(hard, 2<<10)
	}
}

// joinAll joins rows: text with a blank between them unless a word was cut,
// hard exactly as they stand, "" where they are not all equally wide.
func joinAll(rows []line) (text, hard string) {
	text = rows[len(rows)-1].text
	for i := len(rows) - 2; i >= 0; i-- {
		text = joinRows(rows[i].text, text)
	}
	if len(rows) == 1 {
		return text, ""
	}
	indent := rows[1].indent
	for i, l := range rows[:len(rows)-1] {
		if l.width != rows[0].width {
			return text, ""
		}
		if i > 0 {
			indent = min(indent, l.indent)
		}
	}
	if indent = min(indent, rows[len(rows)-1].indent); rows[0].boxed {
		indent = 0
	}
	var out strings.Builder
	out.Grow(len(rows) * len(rows[0].raw))
	for i, l := range rows {
		switch {
		case i == 0:
			out.WriteString(l.text + l.raw[len(strings.TrimRight(l.raw, " ")):])
		case len(l.raw) >= indent:
			out.WriteString(l.raw[indent:])
		}
	}
	return text, singleBlanks(out.String())
}

// singleBlanks makes one blank of every row of them, and none at the ends.
func singleBlanks(s string) string {
	last := byte(' ')
	for i := range len(s) {
		if c := s[i]; c == ' ' && last == ' ' || c < ' ' || c >= utf8.RuneSelf {
			return strings.Join(strings.Fields(s), " ")
		}
		last = s[i]
	}
	return strings.TrimSuffix(s, " ")
}

// joinRows joins two rows of one hard-wrapped text: without a blank if that
// makes a word of the rules or a number, else with one.
func joinRows(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	last := a[strings.LastIndexByte(a, ' ')+1:]
	first, _, _ := strings.Cut(b, " ")
	if glued(last, first) {
		return a + b
	}
	return a + " " + b
}

func glued(last, first string) bool {
	tail := strings.TrimLeftFunc(last, notWord)
	head := first
	if i := strings.IndexFunc(head, notWord); i >= 0 {
		head = head[:i]
	}
	if i := strings.LastIndexFunc(tail, notWord); i >= 0 {
		tail = tail[i+1:]
	}
	l, _ := utf8.DecodeLastRuneInString(last)
	f, _ := utf8.DecodeRuneInString(first)
	if unicode.IsDigit(f) && (unicode.IsDigit(l) || l == ':' && len(last) > 1 && unicode.IsDigit(rune(last[len(last)-2]))) {
		return true
	}
	if (f == ':' || f == '/') && len(first) > 1 || l == '/' || l == '_' || f == '_' || l == '-' && len(tail) == 0 && len(last) > 1 {
		return true
	}
	if head == "" || tail == "" {
		return false
	}
	word := strings.ToLower(tail + head)
	if unicode.IsDigit(l) && len(head) <= 2 && (head == "am" || head == "pm") {
		return true
	}
	known := vocabulary()
	return known[word] && !(len(tail) > 2 && len(head) > 2 && known[strings.ToLower(tail)] && known[strings.ToLower(head)])
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
}

// wrapped reports that next may be the continuation of row: it would not have
// fitted on it in the narrowest terminal that people use.
func wrapped(row line, next string) bool {
	first, _, _ := strings.Cut(next, " ")
	return row.width+1+utf8.RuneCountInString(first) > minWrap
}
