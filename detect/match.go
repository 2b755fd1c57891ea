package detect

import (
	"bytes"
	"strings"
)

// A finding is a line or an event that a rule recognized.
type finding struct {
	name       string // of the rule
	kind       evidence
	verdict    Kind
	scope      Scope
	sure       bool   // the scope was stated, not supposed
	text       string // the evidence, not yet redacted
	when       string // the text that may say when it ends
	more       string // what else around it may, if that does not
	wait       int64  // a structured wait in milliseconds
	retries    bool   // the client goes on by itself
	stream     Stream
	line       int
	end        int  // its last row
	alone      bool // nothing stands above it
	marked     bool // it has an error's label or mark
	number     bool // hardly more than a status
	apart      bool // it is a paragraph that can only be a notice
	after      int  // rows below it that say nothing
	introduced bool // a sentence above it ends with a colon
	seq        int  // the feed in which it came
}

// openers are the words with which a notice can begin: a line that has a
// trigger, but begins otherwise and has no label of an error, is no notice.
var openers = set(`you you've you're your sorry i'm we're we oops unfortunately this the that our rate usage limit limits quota weekly daily monthly hourly session
opus sonnet haiku gpt claude gemini chatgpt copilot codex free subscription included premium maximum max budget spend spending account organization org team
workspace project plan user api model models requested selected unknown unsupported invalid unavailable no too sent tokens token requests request messages message number global
there's cannot can't rate resource stream execution status http repeated payment insufficient there please wait slow additional monthly credit credits detected to upgrade attempt tier
anthropic openai azure groq google vertex openrouter provider upstream server service system engine 5-hour five-hour 7-day 24-hour 429 402 529 503 500
rate-limited rate-limit throttled limited temporarily currently exceeded reached agent inference concurrent concurrency input output all amp cursor
amount we’re you’ve out terminalquotaerror graphql github ralph has ha usted vous tu sie du voc ihr 5 retry last repeated context prompt invalid
authorization authentication unauthorized switching high fast llm requests-per-minute background chat completions`)

// labelHints are parts of the words with which labels of errors end.
var labelHints = parts("rror|ailed|xception|caused|fatal|onnected|ould not|nable to|reason|message|response|detail|ejected|tatus|stderr|too many| 429|(429| 402|(402")

// doing are parts of the words that say what happened to a limit or a model.
// A notice without a label has one of them.
var doing = parts("hit |hit the|eached|xceed|xhaust|limited|used |out of|oo many|run out|verload|demand|busy|apacity| not |n't | no |no remaining|no quota|nsufficient|epleted|urpass|spent|onsumed|maxed|" +
	"navailable|nsupported|nvalid|eprecated|etired|iscontinued|ecommissioned|access|hottl|limiting|payment|pgrade to|igh-freq|ailed|issue with|ttempt|quota|lcanzado|uperado|gotado|tteint|passé|rreicht|schritten|gebraucht|nknown|no longer|annot|too low|unning|llowed|tingiu")

// opens reports that a row may be the first of a notice, cheaply: most rows are
// prose or code.
func opens(b []byte) bool { return opening(b) != closed }

// How a row may begin a notice.
const (
	closed  = iota
	byWord  // with one of its first words
	byLabel // with the label of an error, a status, or in another script
)

func opening(b []byte) int {
	var buf [24]byte
	w, foreign := firstWord(b, &buf)
	if foreign || len(w) == 3 && '0' <= w[0] && w[0] <= '9' {
		return byLabel
	}
	if head := b[:min(len(b), 160)]; bytes.IndexByte(head, ':') >= 0 || bytes.IndexByte(head, '(') >= 0 || bytes.IndexByte(head, '[') >= 0 {
		if labelHints.in(head) {
			return byLabel
		}
	}
	switch string(w) {
	case "http", "status", "error", "failed", "stream", "execution", "exceeded":
		return byLabel
	}
	if openers[string(w)] {
		return byWord
	}
	return closed
}

// gate reports that a row alone may be a notice.
func gate(b []byte) bool {
	o := opening(b)
	return o == byLabel || o == byWord && doing.in(b)
}

// firstWord is the first word in b, in lower case; foreign if it is not Latin.
func firstWord(b []byte, buf *[24]byte) (word []byte, foreign bool) {
	i, high := 0, 0
	for ; i < len(b) && i < 48; i++ {
		if c := b[i]; isAlnum(c) {
			break
		} else if c >= 0xd0 && c != 0xe2 && c != 0xf0 && c != 0xef {
			high++
		}
	}
	n := 0
	for ; i < len(b) && n < len(buf) && (isAlnum(b[i]) || b[i] == '\'' || b[i] == '-' && n > 0 || b[i] == 0xe2 && bytes.HasPrefix(b[i:], []byte("’"))); i++ {
		if b[i] == 0xe2 {
			buf[n] = '\''
			i += 2
		} else if c := b[i]; 'A' <= c && c <= 'Z' {
			buf[n] = c + 'a' - 'A'
		} else {
			buf[n] = c
		}
		n++
	}
	return buf[:n:n], high > 0
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// An attempt at matching a text: its parts, prepared once for all rules.
type text struct {
	whole  string   // in its own case
	low    []string // lower case, less 0, 1, 2 … labels
	subj   []string // the same, with names of limits as §
	limit  bool     // a name of a limit is in it
	labels int      // of an error, in front
	tree   bool     // behind the mark of a tool's result
	client string
	bytes  []byte // the whole in lower case
}

func newText(s, client string) text {
	low := strings.ToLower(cutText(s, 4<<10))
	t := text{whole: s, client: client, bytes: []byte(low)}
	for range 8 {
		t.add(low)
		if !mayBeLabelled(low) {
			break
		}
		at := labelled().FindStringIndex(low)
		if at == nil || at[1] == 0 {
			break
		}
		low = low[at[1]:]
	}
	t.labels = len(t.low) - 1
	if strings.Contains(t.low[0], "{") {
		for _, g := range bodyMessage().FindAllStringSubmatch(t.low[0], 4) {
			t.add(g[1])
			if at := labelled().FindStringIndex(g[1]); at != nil {
				t.add(g[1][at[1]:])
			}
		}
	}
	return t
}

func (t *text) add(low string) {
	subj := subjects(low)
	t.low, t.subj = append(t.low, low), append(t.subj, subj)
	t.limit = t.limit || strings.Contains(subj, "§")
}

// mayBeLabelled spares most texts the search for a label.
func mayBeLabelled(low string) bool {
	head := low[:min(len(low), 160)]
	return strings.ContainsAny(head, ":(·") || strings.Contains(head, "error") || strings.HasPrefix(low, "4")
}

// bodyMessage is the message in an error's JSON body, however often escaped.
var bodyMessage = lazy(`["'](?:message|detail|error|msg)\\*["']\s*:\s*\\*["'](.+?)\\*["']\s*(?:[,}\])]|$|\\n)`)

// error reports that the text has the shape of an error.
func (t *text) error() bool {
	return t.labels > 0 || strings.HasPrefix(t.low[0], "{") || strings.HasPrefix(t.low[0], "[")
}

// match returns the first rule that recognizes the text.
func (t *text) match() (int, bool) {
	all := compiled()
	for i := range rules {
		r := &rules[i]
		if r.pattern == "" || t.tree && !r.tree || r.strict && t.client != r.client || r.kind == code && r.anchor == anywhere && !t.error() {
			continue
		}
		if !t.has(all[i].needs) {
			continue
		}
		from := t.low
		if all[i].subject {
			if from = t.subj; !t.limit {
				continue
			}
		}
		switch r.anchor {
		case anywhere:
			from = from[:1]
		case behindLabel:
			from = from[min(1, t.labels) : t.labels+min(1, t.labels)]
		case afterLabel:
			from = from[min(1, t.labels):][:min(1, t.labels)]
		}
		for _, s := range from {
			if all[i].re().MatchString(s[:min(len(s), all[i].reach)]) {
				return i, true
			}
		}
	}
	return 0, false
}

// has reports that one of the words stands in the text.
func (t *text) has(words []string) bool {
	for _, w := range words {
		if strings.Contains(t.low[0], w) {
			return true
		}
	}
	return len(words) == 0
}
