package detect

import (
	"strings"
)

// A run is what is known about the run so far. It is a value: a copy can be
// shown what is still held back on the screen, and be thrown away.
type run struct {
	d       *Detector
	streams [4]side
	state
	quiet bool // no explanations: this is a copy
}

// A state is what a run's lines have said so far.
type state struct {
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
	if (trimmed[0] == '{' && (len(trimmed) > 1 || s.body == "") || len(s.object) > 0) && r.object(id, trimmed) {
		s.push(nil)
		s.open, s.begun = 0, 0
		return
	}
	if s.body != "" {
		r.moreBody(id, trimmed)
	} else if beginsBody(b) {
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

// beginsBody reports that a line is an error that goes on with a JSON body.
func beginsBody(line []byte) bool { return line[len(line)-1] == '{' && hasRror(line) }

// hasRror reports that the line has an error in it, in any case: one of the four
// letters stands at every fourth place.
func hasRror(line []byte) bool {
	for i := 3; i < len(line); i += 4 {
		switch line[i] | 0x20 {
		case 'r':
			if hasFoldAt(line, i, "rror") || hasFoldAt(line, i-1, "rror") || hasFoldAt(line, i-3, "rror") {
				return true
			}
		case 'o':
			if hasFoldAt(line, i-2, "rror") {
				return true
			}
		}
	}
	return false
}

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

// first is the trigger of the line's first bytes, which the scanner has not.
func first(b []byte) trigger {
	if len(b) >= 3 && b[0] <= '5' && b[0] >= '4' && (string(b[:3]) == "429" || string(b[:3]) == "402" || string(b[:3]) == "529") {
		return triggerLimit
	}
	return 0
}

// slow looks at a row that may matter.
func (r *run) slow(id Stream, trimmed []byte, t trigger) {
	s := &r.streams[id]
	r.hintAge++
	s.section(trimmed)
	look := t&triggerLimit != 0 && (gate(trimmed) || s.gateAbove()) || r.found && gate(trimmed) || s.begun > 0
	if !look && !r.found && !r.series.active && t&(triggerWork|triggerSession|triggerRetry) == 0 && len(r.d.opts.Match) == 0 {
		return
	}
	l := r.latest(s, trimmed)
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
	if len(joined) < 3 || r.d.opts.Explain == nil && r.misplaced(id, head) != "" {
		return finding{}, false // spared what the rules would say
	}
	tree := head.tree()
	v := r.d.view(joined, tree)
	if v.rule < 0 {
		return finding{}, false
	}
	rule := &rules[v.rule]
	f := finding{name: rule.name, kind: rule.kind, verdict: rule.verdict, scope: v.scope, sure: v.sure, retries: v.retries, number: rule.number,
		text: joined, when: joined, stream: id, line: r.streams[id].n - k}
	f.alone, f.introduced = r.streams[id].alone(k), r.streams[id].introduced(k)
	f.marked = head.marked() || head.bullet == '⎿' || v.labelled
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

// misplaced says why no text that begins with head is evidence where it stands,
// or "".
func (r *run) misplaced(id Stream, head line) string {
	switch {
	case r.d.shape(head.text) != "":
		return r.d.shape(head.text)
	case r.streams[id].fence:
		return "inside a code fence"
	case head.bullet == '>' || head.bullet == '❯' || head.bullet == '›':
		return "typed by a person, or quoted"
	case strings.ContainsRune(proseBullets, head.bullet):
		return "a list, or the model's own words"
	case r.d.opts.Split && id == Stdout && errorsOnStderr[r.d.client]:
		return "this client prints errors on stderr"
	}
	return ""
}

// objection says why a recognized text is no evidence where it stands, or "".
func (r *run) objection(id Stream, head line, v view, joined string, k int) string {
	if why := r.misplaced(id, head); why != "" {
		return why
	}
	s := &r.streams[id]
	if s.inHunk(k) {
		return "inside a diff"
	}
	if s.asked && rules[v.rule].kind > code && !v.labelled || r.echo(joined) {
		return "the echo of the prompt"
	}
	if why := s.toolResult(head, k); why != "" || rules[v.rule].verdict != Limit || !r.blamed(id, k) {
		return why
	}
	return "another service's limit"
}
