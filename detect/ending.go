package detect

import (
	"bytes"
	"strings"
	"time"
)

// A series is an unbroken run of limits that the client sits out.
type series struct {
	id, count int
	active    bool
	last      finding
}

// take makes f what the output ends on. The same limit said again keeps the
// stronger evidence, the stated scope and the latest stated time.
func (r *run) take(f finding) {
	if f.stream != Log && f.kind != structured && r.fromSubAgent(f.text) {
		r.explain(f, false, "a sub-agent's")
		return
	}
	if why := r.d.ofTool(&f); why != "" {
		r.explain(f, false, why)
		return
	}
	if r.hint != "" && r.hintAge <= 4 {
		f.more = r.hint
	}
	if r.found {
		old := r.last
		if old.verdict == f.verdict {
			f = merge(old, f)
			r.explain(old, false, "said again below")
		} else {
			r.explain(old, false, "another error came later")
		}
	}
	f.seq, f.end = r.d.screens[f.stream].began, r.streams[f.stream].n
	r.last, r.found, r.waited, r.other, r.after = f, true, false, 0, 0
}

// maxAfter bounds the rows behind a notice, of whatever kind: a screen of them,
// a stack, the body of an answer.
const maxAfter = 200

// aftermath judges a line that is no notice, after one or within a series.
func (r *run) aftermath(id Stream, l line) {
	if r.found && id == r.last.stream {
		r.sameStream(id, l)
	} else if r.found && id == Stdout && r.last.stream == Stderr && r.d.screens[id].began > r.last.seq && !r.d.status(l.text) {
		if r.after++; r.waited {
			r.drop("the model's answer came after it")
		}
	}
	if r.series.active && (id == Stdout || id == Terminal) && !r.d.footer(l.text) && !r.d.status(l.text) {
		r.endSeries()
	}
}

func (r *run) sameStream(id Stream, l line) {
	s := &r.streams[id]
	switch {
	case s.n-r.last.end > maxAfter && r.last.kind != structured:
		r.drop("much came after it")
	case s.open > 0 && r.goesOn(s, l) && !hasFoldAt([]byte(l.text), 0, "exiting"):
		low := []byte(strings.ToLower(l.text))
		if r.last.verdict == Limit && isTalk(low) {
			r.drop("prose")
			return
		}
		r.extend(id)
		r.last.retries = r.last.retries || goesOn.in(low)
		s.open--
	case drawn(l.text) || l.indent >= 2 && l.bullet == 0 || l.boxed || r.d.footer(l.text) || r.d.status(l.text):
		r.exiting = r.exiting || hasFoldAt([]byte(l.text), 0, "exiting")
		if s.open = 0; r.other == 0 && says(l.text) {
			r.last.more = lastText(r.last.more+" "+l.text, 2<<10)
		}
	case strings.ContainsRune("●⏺•", l.bullet), strings.EqualFold(l.text, "codex"):
		r.drop("the model went on after it")
	case strings.ContainsRune("❯›>⏵", l.bullet), r.d.gaveUp(l.text), r.sameAgain(l.text):
		s.open = 0
	default:
		s.open = 0
		if r.other++; r.other > 12 {
			r.drop("much came after it")
		}
	}
}

// sameAgain reports that a line that is no notice where it stands, such as one
// of a list, says the same as the notice above it.
func (r *run) sameAgain(text string) bool {
	v := r.d.view(text, false)
	return v.rule >= 0 && v.talk == "" && !v.retries && rules[v.rule].verdict == r.last.verdict
}

// goesOn reports that the latest line is a continuation of the one before.
func (r *run) goesOn(s *side, l line) bool {
	prev := s.back(1)
	if r.last.retries && bytes.HasSuffix(bytes.TrimRight(prev, " "), []byte(".")) {
		return false // a client that goes on by itself has said so
	}
	return l.bullet == 0 && len(prev) > 0 && !strings.HasPrefix(l.text, "[") && wrapped(r.d.line(prev), l.text) && !drawn(l.text) && !r.d.labelled(l.text)
}

func (r *run) drop(why string) {
	if r.found {
		r.explain(r.last, false, why)
	}
	r.last, r.found, r.waited, r.other, r.after = finding{}, false, false, 0, 0
}

// answer is a sign of the model itself: whatever came before was survived.
func (r *run) answer() {
	r.drop("the model went on after it")
	r.endSeries()
	for i := range r.streams {
		r.streams[i].thing = ""
	}
}

func (r *run) endSeries() { r.series.active, r.series.count = false, 0 }

// limited counts a limit that the client may sit out.
func (r *run) limited(f finding) {
	s := &r.series
	if !s.active {
		s.id++
		s.active, s.count = true, 0
	}
	s.count++
	if f.wait == 0 {
		f.wait = s.last.wait
	}
	s.last = f
}

// failed ends a series by another failure than a limit.
func (r *run) failed() { r.endSeries() }

func (r *run) explain(f finding, counted bool, reason string) {
	if e := r.d.opts.Explain; e != nil && !r.quiet {
		e(Look{Stream: f.stream, Line: f.line, Text: redact(f.text), Rule: f.name, Counted: counted, Reason: reason})
	}
}

// verdict puts a finding into words.
func (r *run) verdict(f finding, now time.Time) Verdict {
	v := Verdict{Kind: f.verdict, Scope: f.scope, Rule: f.name, Evidence: redact(f.text), Stream: f.stream, DidWork: r.work, SessionID: r.session}
	if v.Scope == "" {
		v.Scope = ScopeUnknown
	}
	var end reset
	for _, text := range []string{f.when, f.more} {
		if end.at.IsZero() && text != "" {
			end = r.d.reset(text, now)
		}
	}
	if end.at.IsZero() && r.series.active {
		end = r.d.reset(r.series.last.when, now)
	}
	wait := f.wait
	if wait == 0 && r.series.active {
		wait = r.series.last.wait
	}
	if wait > 0 && end.at.IsZero() {
		end = boundedWait(time.Duration(min(wait, int64(10*maxReset/time.Millisecond)))*time.Millisecond, now)
	}
	v.RetryAfter, v.ResetAt, v.Capped = end.after, end.at.UTC(), end.capped
	return v
}

// decide finds what the whole run ended on, if it decides.
func (r *run) decide(e Exit) (finding, bool) {
	if r.byCode(e) && !(r.found && r.last.verdict == Overloaded) {
		if r.found && r.last.verdict == Limit {
			r.explain(r.last, true, "and the status says so")
			return r.last, true
		}
		f := finding{name: "exit-code", kind: exit, verdict: Limit, scope: ScopeUnknown, text: "exit status " + itoa(e.Code)}
		r.explain(f, true, "the status alone means a limit")
		return f, true
	}
	if r.found {
		why := r.doubt(e)
		r.explain(r.last, why == "", reasonOr(why))
		if why == "" {
			return r.last, true
		}
	}
	if r.mayHaveFailed(e) && !r.series.active {
		if f, ok := r.lastWords(e); ok {
			return f, true
		}
	}
	if r.series.active && (!r.found || r.last.verdict == Limit) {
		r.explain(r.series.last, true, "the client was still limited at the end")
		return r.series.last, true
	}
	return finding{}, false
}

// mayHaveFailed reports that the last words of a run may be an error.
func (r *run) mayHaveFailed(e Exit) bool {
	return e.gaveUp() || e.Unknown || e == Exit{} && wellOnErrors[r.d.client]
}

// gaveUp reports that a run failed by itself.
func (e Exit) gaveUp() bool {
	return !e.ByUs && !e.Unknown && !e.Signaled && e.Code != 0 && e.Code != 124 && e.Code != 126 && e.Code != 127 && (e.Code <= 128 || e.Code == 134 || e.Code == 255)
}

func reasonOr(why string) string {
	if why == "" {
		return "the last thing that the run said"
	}
	return why
}

func (r *run) byCode(e Exit) bool {
	if e.ByUs || e.Unknown || e.Signaled {
		return false
	}
	for _, c := range r.d.opts.LimitExitCodes {
		if c == e.Code && c != 0 {
			return true
		}
	}
	return false
}

// doubt says why what the output ends on does not decide, or "".
func (r *run) doubt(e Exit) string {
	f := &r.last
	failed := !e.ByUs && !e.Unknown && e.Code != 0
	switch {
	case f.verdict == None:
		return "an error, but no limit"
	case failed && r.other > 8:
		return "not near the end of the output"
	case failed && f.introduced && r.other > 0:
		return "a sentence above introduces it: quoted"
	case failed && r.overtaken(*f):
		return "another error came later"
	case failed:
		return ""
	case f.kind == word:
		return "a word alone counts only when the run failed"
	case f.number && !e.Unknown && !e.ByUs:
		return "a status alone counts only when the run failed"
	case f.retries && f.kind != structured && !e.Unknown:
		return "the client was going to go on"
	case e.Unknown && r.other > 0:
		return "something came after it"
	case !e.Unknown && !e.ByUs && r.d.opts.Split && f.stream == Stdout && f.kind != structured && errorsOnStderr[r.d.client] && !r.exiting:
		return "this client prints errors on stderr, and ended well"
	case !e.Unknown && !e.ByUs && (r.other > 0 || r.after > 0):
		return "the run went on after it, and ended well"
	case !e.Unknown && !e.ByUs && failsOnLimit[r.d.client] && f.kind != structured && !f.alone && !f.marked:
		return "this client fails on a limit, and ended well"
	case f.introduced:
		return "a sentence above introduces it: quoted"
	case e.ByUs && r.other > 3:
		return "something came after it"
	}
	return ""
}
