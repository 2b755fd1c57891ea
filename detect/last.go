package detect

import "strings"

// maxNeutral bounds the rows below an error that say nothing.
const maxNeutral = 4

// maxPlain bounds an error without a label: what is longer is prose.
const maxPlain = 600

// maxBlock bounds the rows of one error.
const maxBlock = 16

// lastWords finds the error on which a run failed, and reads it by its words.
// It is asked once, at the end, where no rule has found anything.
func (r *run) lastWords(e Exit) (finding, bool) {
	for _, id := range []Stream{Stderr, Terminal, Stdout} {
		s := &r.streams[id]
		if s.n == 0 || id == Stdout && r.d.opts.Split && errorsOnStderr[r.d.client] {
			continue
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
		return f.marked
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
	if p.text == "" || drawn(p.text) || l.bullet != 0 && l.bullet != '•' && !l.boxed {
		return false
	}
	return l.indent > 0 && !l.boxed || wrapped(p, l.text) && oneWidth(p, w.rows) && !w.r.d.labelled(l.text)
}

// judge reads the message that the rows make; its first is k above the last.
func (w *ending) judge(k int) (f finding, done bool) {
	head := w.rows[0]
	text, _ := joinAll(w.rows)
	if w.r.ignored(text) {
		return f, false
	}
	text, stamped := unstamp(text)
	isError := stamped || w.isError(head, text)
	if otherEnd().MatchString(fold(text)) {
		return f, true
	}
	if w.aside(head, text, k, stamped) {
		if head.bullet != '❯' && head.bullet != '›' {
			w.pass(text)
		}
		return f, false
	}
	if !isError && len(text) > maxPlain {
		w.pass(text)
		return f, false
	}
	m := newMessage(text, w.below, isError)
	if verdict, why := m.read(); verdict != None {
		return w.found(m, verdict, why, k), true
	}
	if isError && !gaveUp().MatchString(m.folded) && strings.Count(text, " ") > 1 {
		return f, true
	}
	w.pass(text)
	return f, false
}

// pass notes a message that says nothing.
func (w *ending) pass(text string) {
	if summary().MatchString(text) {
		return
	}
	w.below = cutText(text+" "+w.below, 1<<10)
	if d := w.r.d; !d.footer(text) && !d.status(text) && !gaveUp().MatchString(fold(text)) {
		w.neutral++
	}
}

func (w *ending) found(m *message, verdict Kind, why string, k int) finding {
	f := finding{name: inWords[verdict], kind: word, verdict: verdict, scope: ScopeModel, sure: true, text: m.text, when: m.text, more: m.below, stream: w.id, line: w.s.n - k, after: w.neutral, marked: m.error}
	if verdict == Limit {
		f.scope, f.sure = scopeOf(strings.ToLower(m.text), ScopeUnknown)
	}
	w.r.explain(f, true, "the run failed on it: "+why)
	return f
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
	case strings.ContainsRune(proseBullets, head.bullet) && head.bullet != 0 && head.bullet != '•':
		return true
	case logLine().MatchString(text), w.r.echo(text), w.s.introduced(k), w.s.asked && !stamped && !w.r.d.labelled(text):
		return true
	}
	return !stamped && w.r.d.shape(text) != "" && !strings.HasPrefix(text, "{") || w.s.toolResult(head, k) != ""
}

// unstamp takes the time and the logger off a line that a client logs as an error.
func unstamp(text string) (rest string, isError bool) {
	if g := logfmt().FindStringSubmatch(text); g != nil {
		return g[1], true
	}
	if g := wholeQuote().FindStringSubmatch(text); g != nil {
		text = g[1]
	}
	text = apology().ReplaceAllString(text, "")
	for range 4 {
		if g := level().FindStringIndex(text); g != nil {
			text, isError = text[g[1]:], true
		} else if g := stamp().FindStringIndex(text); g != nil {
			text = text[g[1]:]
		}
	}
	return text, isError
}

var (
	// ownError is an error as the clients say it that end with 0 on one.
	ownError = lazy(`^(?:litellm\.|ran into this error|the api provider|error:)`)
	// summary is a row of the figures that clients print at the end.
	summary = lazy(`^(?i:changes|duration|tokens|resume|requests|total|cost|api time|session|model|usage by)\b(?: {2,}|: )`)
	// frame is a row of a stack, which says where and not what.
	frame = lazy(`^at (?:async )?(?:new )?[\w.$<>/\[\] ]+\(|^at (?:file:|/|node:|https?:)|^File "|^\d+: 0x|^goroutine \d|^\^+$`)
	// wholeQuote is a message that a client prints as a JSON string.
	wholeQuote = lazy(`^"([^"]+)"$`)
	apology    = lazy(`^(?i:(?:i'm|i am|we're|we are) sorry,? (?:but )?(?:i|we) (?:can't|cannot|couldn't|could not|am unable to|are unable to|was unable to) [\w ]{3,50}[.;:] )`)
	logfmt     = lazy(`^time=\S+ level=(?i:error|fatal) (?:source=\S+ )?(msg=.*)`)
	stamp      = lazy(`^\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:- )?|^\[(?:[A-Za-z][\w-]*)(?:/[\w-]+)*\]\s+`)
	level      = lazy(`^(?:[\w.-]+:){0,3}\[?(?:ERROR|FATAL|CRITICAL|error|fatal)\]?:?\s+(?:[\w./-]+:\d+ - )?`)
	errorish   = lazy(`^(?i:\{.{0,200}"(?:error|code|message|errors|status)"|(?:[\w'-]+ ){0,3}(?:error|failed|failure|fatal|panic(?:ked)?|exception|traceback|denied|cannot|unable|fehler|erreur|errore|fout|blad|hata)\b|ошибка|помилка|エラー|오류|错误|錯誤|fail\b|permission denied|aborted|killed|segmentation|got status|\w+exception\b|\w+error\b)`)
	logLine    = lazy(`^HTTP/[\d.]+ \d{3}|^(?:\[[\w -]+\] )?"?(?:GET|POST|PUT|PATCH|DELETE|HEAD) /\S*.{0,12} \d{3}\b|^[\w.-]+-\d+ +\| |^\{.*"(?:level|ts|lvl|severity|logger)":|^(?:level|time|ts)=`)
	// otherEnd is an end for another reason, even if it reads like giving up.
	otherEnd = lazy(`^(?:fail|pass|ok|tests?:|test result|failures?:|e {2,}|-{3} (?:fail|pass|skip)|={3,} (?:run|name|cont|pause|fail|short|error|\d+ ))(?:\b|\s|$)|\b\d+ (?:passed|failed|failures?|failing)\b|^make: \*\*\*|build fail|\b(?:max(?:imum)?|reached|exceeded)\b.{0,30}\b(?:steps?|turns?|iterations?|tool calls)\b|\bstatus:? (?:5(?:0[0-24-9]|[1-9]\d)|40[0134])\b`)
	// gaveUp says that the run ended, and not why.
	gaveUp = lazy(`^traceback \(|giving up|gave up|did not succeed|failed after \d+ (?:retries|attempts)|\bexit(?:ed)?(?: with)?(?: code| status)? ?\d|exit code|status 1\b|^(?:error: )?(?:the )?(?:task|run|request|execution|agent|turn|job|command|session|conversation|query|step|generation|completion|stream|call|loop|llm call|embedded run|child)\b.{0,40}(?:failed|ended|aborted|stopped|terminated|interrupted|cancell?ed|incomplete)|all models failed|no fallback|retries (?:were )?exhausted|max(?:imum)? (?:number of )?retries|retry limit|critical error|see (?:the )?logs?\b|full (?:report|log)|saved to|process completed|lifecycle|elifecycle|could not complete|couldn't complete|not completed|no response|nothing (?:was )?(?:done|changed)|something went wrong|an error occurred|error (?:while )?(?:running|executing|loading|generating|processing|calling)[^:]{0,40}$|unhandled|debug information|request id|trace ?id|session saved|resume with|shutting down|goodbye|bye\b|cost:|tokens?:|duration`)
)

// inWords names the rules of reading.
var inWords = map[Kind]string{Limit: "limit-in-words", Overloaded: "overload-in-words", Unavailable: "model-in-words"}
