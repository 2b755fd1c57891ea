package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNeutral bounds the rows below an error that say nothing.
const maxNeutral = 4

// maxInfo bounds the lines below an error that a client logs.
const maxInfo = 5

// maxPlain bounds an error without a label: what is longer is prose.
const maxPlain = 600

// maxBlock bounds the rows of one error.
const maxBlock = 16

// lastWords finds the error on which a run failed, and reads it by its words.
// It is asked once, at the end, where no rule has found anything.
func (r *run) lastWords(e Exit) (finding, bool) {
	for _, id := range []Stream{Stderr, Terminal, Stdout} {
		s := &r.streams[id]
		if s.n == 0 || id == Stdout && r.streams[Stderr].n > 0 && r.d.opts.Split && errorsOnStderr[r.d.client] {
			continue // with nothing on stderr, a wrapper of that name may have joined them
		}
		if f, done := r.lastOf(id, 0); done {
			return f, f.verdict != "" && f.decides(e)
		}
	}
	return finding{}, false
}

// decides reports that last words are evidence for a run that ended so: where it
// did not fail, they must have an error's shape, and nothing may stand below.
func (f *finding) decides(e Exit) bool {
	switch {
	case e.gaveUp():
		return true
	case f.after > 0:
		return false
	case e.Unknown:
		return f.marked || f.alone || f.apart
	}
	return ownError().MatchString(strings.ToLower(f.text))
}

// overtaken reports that a run did not fail on a notice, but on another error
// below it.
func (r *run) overtaken(f finding) bool {
	if f.kind == structured || f.stream == Log {
		return false
	}
	later, done := r.lastOf(f.stream, max(f.line, f.end))
	return done && later.verdict == ""
}

// An ending walks up the rows on which a stream ended.
type ending struct {
	r       *run
	id      Stream
	s       *side
	rows    []line // of the message whose first row is still to come
	below   string // what was passed over
	neutral int
	info    int // lines that a client logs of what is no error
	plain   int // of the rows that say nothing, those that are no part of what stands above them
}

// lastOf looks at the end of one stream, up to a row. done says that an error
// stood there.
func (r *run) lastOf(id Stream, until int) (f finding, done bool) {
	w := ending{r: r, id: id, s: &r.streams[id]}
	if w.s.fence {
		return f, false
	}
	for k := 0; k < min(w.s.n-until, recentRows) && w.neutral <= maxNeutral; k++ {
		text := w.s.back(k)
		if w.s.thing != "" && w.s.thingAt == w.s.n-k {
			text = []byte(w.s.thing)
		}
		if len(text) == 0 {
			w.rows = nil
			continue
		}
		l := cleanLine(text)
		if l.text == "" || drawn(l.text) || frame().MatchString(l.text) {
			continue
		}
		w.rows = append([]line{l}, w.rows...)
		if w.goesOnFrom(k + 1) {
			continue
		}
		if f, done = w.judge(k); done {
			return f, true
		}
		w.rows = nil
	}
	return f, false
}

// goesOnFrom reports that the first of the rows continues the one above it.
func (w *ending) goesOnFrom(k int) bool {
	b := w.s.back(k)
	if len(b) == 0 || len(w.rows) > maxBlock {
		return false
	}
	l, p := w.rows[0], cleanLine(b)
	if p.text == "" || drawn(p.text) || l.bullet != 0 && l.bullet != '•' && !l.boxed || begins(l.text) || ends(p.text) {
		return false
	}
	return l.indent > 0 && !l.boxed || wrapped(p, l.text) && oneWidth(p, w.rows) && !w.r.d.labelled(l.text)
}

// ends reports that nothing goes on with a row: a call in a stack, or a client
// that tries again.
func ends(text string) bool {
	return frame().MatchString(text) || strings.HasSuffix(text, ".") && goesOn.in([]byte(strings.ToLower(text)))
}

// begins reports that a row begins a message of its own: with a picture, or
// with the time.
func begins(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return unicode.Is(unicode.So, c) && c > '⏨' || clocked().MatchString(text)
}

// judge reads the message that the rows make; its first is k above the last.
func (w *ending) judge(k int) (f finding, done bool) {
	head := w.rows[0]
	text, _ := joinAll(w.rows)
	if w.r.ignored(text) {
		return f, false
	}
	raw, info := text, infoLine().MatchString(text)
	text, stamped := unstamp(text)
	isError := stamped || w.isError(head, text)
	if otherEnd().MatchString(attempt().ReplaceAllString(fold(text), "attempt")) {
		return f, true
	}
	if info && !stamped && !said().MatchString(text) {
		w.info++
		return f, w.info > maxInfo
	}
	if w.aside(head, text, k, stamped) {
		if toolFailed().MatchString(text) && !knownClients[w.r.d.client] {
			return f, true
		}
		if head.bullet != '❯' && head.bullet != '›' {
			w.pass(head, text)
		}
		return f, false
	}
	if !isError && (len(text) > maxPlain || isWritten(text)) {
		w.pass(head, text)
		return f, false
	}
	m := newMessage(text, w.below, isError)
	if verdict, why := m.read(); verdict != None {
		if f = w.found(m, verdict, why, k); raw != text {
			f.more = cutText(raw, 1<<10) + " " + f.more
		}
		if w.r.blamed(w.id, k) || w.r.d.ofTool(&f) != "" {
			return finding{}, true
		}
		w.r.explain(f, true, "the run failed on it: "+why)
		return f, true
	}
	if isError && !gaveUp().MatchString(m.folded) && strings.Count(text, " ") > 1 {
		return f, true
	}
	w.pass(head, text)
	return f, false
}

var (
	webAddress = lazy(`\bhttps?://[^\s)\]>]+`)
	aKey       = lazy(`["']\w+["']\s?:`)
	// written is code, markup or a path.
	written = lazy(`[{}\\^]|;$|//|/\*|\*/|::|->|=>|[=!<>+-]= ?|\s=\s|</?[a-zA-Z]|\w\((?:\w+[,)]|\))|[$@]\w*[A-Za-z]|^Files?: |(?:^|\s)(?:[\w.-]+/){2,}[\w.*-]*(?:\s|$)|",$`)
)

// isWritten reports what stands in files, and what nobody says to a user. The
// body of an answer is no such thing.
func isWritten(text string) bool {
	return !aKey().MatchString(text) && written().MatchString(webAddress().ReplaceAllString(text, ""))
}

// saysGone reports that a row by itself says that something was used up.
func saysGone(text string) bool {
	m := newMessage(text, "", false)
	return m.bare() && (gone.in(m.folded) || throttle.in(m.folded))
}

// pass notes a message that says nothing.
func (w *ending) pass(head line, text string) {
	if summary().MatchString(text) {
		return
	}
	w.below = cutText(text+" "+w.below, 1<<10)
	if d := w.r.d; !d.footer(text) && !d.status(text) && !gaveUp().MatchString(fold(text)) {
		w.neutral++
		if head.indent < 2 || head.bullet != 0 {
			w.plain++
		}
	}
}

// whole reports that little stands above the message whose first row is k above
// the last, and that all of it is of the same failure.
func (w *ending) whole(k int) bool {
	rows := 0
	for n := k + 1; n < w.s.n; n++ {
		text := w.s.back(n)
		if len(text) == 0 && n < recentRows {
			continue
		}
		l := cleanLine(text)
		if rows++; rows > 3 || n >= recentRows || !w.isError(l, l.text) && !sorry().MatchString(l.text) && !saysGone(l.text) {
			return false
		}
	}
	return true
}

func (w *ending) found(m *message, verdict Kind, why string, k int) finding {
	f := finding{name: inWords[verdict], kind: word, verdict: verdict, scope: ScopeModel, sure: true, text: m.text, when: m.text, more: m.below, stream: w.id, line: w.s.n - k, after: w.plain, marked: m.error}
	f.alone, f.apart = m.bare() && w.whole(k), len(w.s.back(k+1)) == 0 && m.firm(why) && m.bare()
	if verdict == Limit {
		f.scope, f.sure = scopeOf(strings.ToLower(m.text), ScopeUnknown)
		w.sayMore(&f, k)
	}
	return f
}

// sayMore adds what the row above and the client's own word say of the limit.
func (w *ending) sayMore(f *finding, k int) {
	above := cleanLine(w.s.back(k + 1)).text
	if said, _ := unstamp(above); newMessage(said, "", true).limit() != "" {
		f.more += " " + above
		if !f.sure {
			f.scope, f.sure = scopeOf(strings.ToLower(above), f.scope)
		}
	}
	if w.r.hint != "" && w.r.hintAge <= 6 {
		f.more += " " + w.r.hint
	}
}

// isError reports that a message has the label or the mark of an error.
func (w *ending) isError(head line, text string) bool {
	return head.marked() || w.r.d.labelled(text) || errorish().MatchString(text)
}

// aside reports that a message is no client's own: quoted, a list, code, a
// tool's result.
func (w *ending) aside(head line, text string, k int, stamped bool) bool {
	switch {
	case head.bullet == '>' || head.bullet == '❯' || head.bullet == '›':
		return true
	case strings.ContainsRune(proseBullets, head.bullet) && head.bullet != '•':
		return true
	case logLine().MatchString(text), w.r.echo(text), w.s.introduced(k), w.s.asked && !stamped && !w.r.d.labelled(text):
		return true
	}
	return !stamped && w.r.d.shape(text) != "" && !strings.HasPrefix(text, "{") && !detected().MatchString(text) || w.s.toolResult(head, k) != ""
}

// inWords names the rules of reading.
var inWords = map[Kind]string{Limit: "limit-in-words", Overloaded: "overload-in-words", Unavailable: "model-in-words"}
