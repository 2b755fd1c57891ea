package detect

import (
	"bytes"
	"strings"
)

const (
	recentRows = 32
	rowBytes   = 800 // kept of a recent row
)

// A run is what is known about the run so far. It is a value: a copy can be
// shown what is still held back on the screen, and be thrown away.
type run struct {
	d       *Detector
	streams [4]side
	last    finding // what the output ends on, if found
	found   bool
	waited  bool // Standing has told of last: what comes now is truly later
	other   int  // lines since last on its stream that may be anything
	after   int  // lines of the model's answer since last on another stream
	series  series
	work    bool
	session string
	exiting bool // copilot said so: its status is none of its own
	jsonl   bool // copilot's events were seen on stdout
	absorb  bool // the next limit in the log is a sub-agent's
	subs    [4]string
	hint    string // a client's word of its own wait, which may come before the error
	hintAge int
	quiet   bool // no explanations: this is a copy
}

// A side is one stream as far as its lines depend on each other.
type side struct {
	n      int // rows so far
	rows   [recentRows]recent
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

// back returns the row k before the latest.
func (s *side) back(k int) []byte {
	if k >= s.n || k >= recentRows {
		return nil
	}
	r := &s.rows[(s.n-1-k)%recentRows]
	return r.buf[:r.n]
}

func (s *side) push(b []byte) {
	r := &s.rows[s.n%recentRows]
	r.n = copy(r.buf[:], b)
	s.n++
}

// line takes the next row of a stream.
func (r *run) line(id Stream, b []byte, quiet bool) {
	s := &r.streams[id]
	if id == Log {
		s.n++
		r.logLine(b)
		return
	}
	trimmed := trimLeft(b)
	if len(trimmed) == 0 {
		s.push(nil)
		s.open, s.begun = 0, 0
		return
	}
	if (trimmed[0] == '{' || len(s.object) > 0) && r.object(id, trimmed) {
		s.push(nil)
		s.open, s.begun = 0, 0
		return
	}
	if s.body != "" {
		r.moreBody(id, trimmed)
	} else if b[len(b)-1] == '{' && errorPart.in(b) {
		s.body = cutText(cleanLine(b).text, rowBytes)
	}
	t := first(trimmed)
	if !quiet {
		t |= triggersIn(b)
	}
	if r.work && t&triggerWork != 0 && !s.belowCross() {
		t &^= triggerWork
	}
	s.push(b)
	if t == 0 && r.idle(s) {
		if !cutWord(s.back(1), s.back(0)) {
			if len(trimmed) <= 8 || trimmed[0] == '`' {
				s.section(trimmed)
			}
			return
		}
		t = triggerLimit
		s.begun = max(s.begun, 1)
	}
	r.slow(id, trimmed, t)
}

var errorPart = parts("rror")

// idle reports that nothing is under way to which a row without a trigger
// matters.
func (r *run) idle(s *side) bool {
	return !r.found && !r.series.active && s.open == 0 && s.begun == 0 && len(r.d.opts.Match) == 0
}

// calm reports that this holds for the next row, and that it belongs to no
// object.
func (r *run) calm(id Stream) bool {
	s := &r.streams[id]
	return id != Log && r.idle(s) && s.body == "" && len(s.object) == 0
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

// first is the trigger of the line's first bytes, which the scanner has not.
func first(b []byte) trigger {
	if len(b) >= 3 && b[0] <= '5' && b[0] >= '4' && (string(b[:3]) == "429" || string(b[:3]) == "402" || string(b[:3]) == "529") {
		return triggerLimit
	}
	return 0
}

// belowCross reports that the row before began with a cross: a failed agent's.
func (s *side) belowCross() bool {
	return bytes.HasPrefix(bytes.TrimLeft(s.back(0), " "), []byte("✗")) || bytes.HasPrefix(bytes.TrimLeft(s.back(0), " "), []byte("✘"))
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
	if !isAlnum(b[0]) {
		b = bytes.TrimLeft(b, " │┃|")
	}
	if len(a) < minWrap-12 || len(b) == 0 || !isAlnum(a[len(a)-1]) || !isAlnum(b[0]) {
		return false
	}
	var both [24]byte
	n := copy(both[:12], a[max(0, len(a)-12):])
	n += copy(both[n:], b[:min(12, len(b))])
	return triggersIn(both[:n])&triggerLimit != 0
}

// isEdge reports that a row that a screen has cut may end or go on with c: with
// a part of a word, or with the blanks and borders around it.
func isEdge(c byte) bool { return isAlnum(c) || c >= 0x80 || c == ' ' || c == '|' }

// slow looks at a row that may matter.
func (r *run) slow(id Stream, trimmed []byte, t trigger) {
	s := &r.streams[id]
	r.hintAge++
	s.section(trimmed)
	look := t&triggerLimit != 0 && (gate(trimmed) || s.gateAbove()) || r.found && gate(trimmed) || s.begun > 0
	if !look && !r.found && !r.series.active && t&(triggerWork|triggerSession|triggerRetry) == 0 && len(r.d.opts.Match) == 0 {
		return
	}
	l := cleanLine(s.row(0, trimmed))
	if t&(triggerWork|triggerSession) != 0 {
		r.sideNotes(id, l)
	}
	if r.ignored(l.text) {
		return
	}
	matched := r.userMatch(id, l) || look && r.notice(id, l)
	if t&triggerRetry != 0 && !matched {
		r.hint, r.hintAge = cutText(l.text, rowBytes), 0
	}
	if !matched {
		r.aftermath(id, l)
	}
}

// row returns the latest rows for cleaning; the newest one whole.
func (s *side) row(k int, trimmed []byte) []byte {
	b := s.back(k)
	if k == 0 && len(b) == rowBytes {
		return trimmed[:min(len(trimmed), 4<<10)]
	}
	return b
}

func (r *run) ignored(text string) bool {
	for _, re := range r.d.opts.Ignore {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}

func (r *run) userMatch(id Stream, l line) bool {
	for _, re := range r.d.opts.Match {
		if re.MatchString(l.text) {
			scope, sure := scopeOf(strings.ToLower(l.text), ScopeUnknown)
			r.take(finding{name: "match", kind: notice, verdict: Limit, scope: scope, sure: sure, text: l.text, when: l.text, stream: id, line: r.streams[id].n})
			return true
		}
	}
	return false
}

// recognize decides on a text that begins with head, k rows before the latest.
func (r *run) recognize(id Stream, head line, joined string, k int) (finding, bool) {
	if len(joined) < 3 {
		return finding{}, false
	}
	tree := head.bullet != 0 && strings.ContainsRune(treeBullets, head.bullet) && !head.boxed
	v := r.d.view(joined, tree)
	if v.rule < 0 {
		return finding{}, false
	}
	rule := &rules[v.rule]
	f := finding{name: rule.name, kind: rule.kind, verdict: rule.verdict, scope: v.scope, sure: v.sure, retries: v.retries,
		text: joined, when: joined, stream: id, line: r.streams[id].n - k}
	f.alone, f.introduced = r.streams[id].alone(k), r.streams[id].introduced(k)
	why := v.talk
	if why == "" {
		why = r.objection(id, head, v, joined, k)
	}
	if why != "" {
		if f.verdict != None {
			r.explain(f, false, why)
		}
		return finding{}, false
	}
	return f, true
}

// objection says why a recognized text is no evidence where it stands, or "".
func (r *run) objection(id Stream, head line, v view, joined string, k int) string {
	if why := r.d.shape(head.text); why != "" {
		return why
	}
	s := &r.streams[id]
	switch {
	case s.fence:
		return "inside a code fence"
	case head.bullet == '>' || head.bullet == '❯' || head.bullet == '›':
		return "typed by a person, or quoted"
	case strings.ContainsRune(proseBullets, head.bullet) && head.bullet != 0:
		return "a list, or the model's own words"
	case r.d.opts.Split && id == Stdout && errorsOnStderr[r.d.client]:
		return "this client prints errors on stderr"
	case s.asked && rules[v.rule].kind > code && !v.labelled, r.echo(joined):
		return "the echo of the prompt"
	}
	return s.toolResult(head, k)
}
