package detect

import (
	"strings"
)

var (
	// toolCall is the line above a tool's result.
	toolCall = lazy(`^(?:\w+\(|Using \w+ ?\(|(?:Bash|Read|Write|Edit|Search|Grep|Glob|Fetch|List|Run|Ran|Explored|Shell|Task|Agent|View|Create|Update|WebFetch|WebSearch|Read file|Check|Find|Test|Called|Explore|General-purpose)\b|.*\((?:shell|bash|MCP:?[^)]*)\)$|.*"[^"]*"(?: in \S+)?$|\$ )`)
	subAgent = lazy(`\(model: [^)]+\)|^Agent ".*" failed`)
	workDone = lazy(`^Changes {2,}\+(\d+) -(\d+)`)

	// footer is what clients print after they have given up: it does not mean
	// that the run went on.
	footer = lazy(`^(?:(?:changes|duration|requests|tokens|resume|total|usage|session|cost|breakdown|api time|premium requests)\b(?: {2,}|:| \(|$)|exiting…|error executing prompt:|what do you want to do\?|switch to auto mode\?|learn more|https?:|/\w|enter to confirm|esc to|ctrl\+\w |↑|press |run /|` +
		`please |upgrade |try |visit |see |wait for|stop and wait|yes\b|no\b|to (?:get|continue|use|increase|request)|get more|for more|if you (?:believe|would|want|need|wish)|(?:or )?you can |add credits|contact |check |your (?:limits?|quota|usage)|limits? |resets |seu limite|possible quota|reached|` +
		`at [\w.<$/]+[ (]|traceback|file "|during handling|error code: |request id|retry-after|x-[\w-]+:|tokens used$|[\d,.]+$|[)}\]>'"]|full report|an unexpected critical|(?:npm|pnpm|yarn) |code: |status: |details: |\pL+ed for \d|┌|process exited|exit(?:ed)? (?:with )?(?:code|status)|command exited|error: process|(?:real|user|sys)\s|[~/][\w./-]*(?: \[.*\])?$|.*(?:· \? help|/ commands)|← |` +
		`node\.js v|\? for shortcuts|⏵⏵|confirm with|(?:generating|thinking|working)…|headers:|\$\w+: |(?:name|type|param|errno|cause|headers|param|model|provider|elapsed): |(?:supported|available|valid) models|\**error (?:output|details)|等待|◇|⏱)`)

	// detail is a line behind a notice that says when it ends.
	detail = phrases(`reset|resets|again|retry|retrying|retry-after|retrydelay|wait|redefinido|refresh|refreshes|refreshed|renew|renews|replenish|replenishes`)

	// localDetail is one in another script.
	localDetail = parts("等待|重置|恢复|重试|リセット|再試行|초기화|다시|сброс|через|повтор")

	// status is a client's word about itself, on the stream of the answer.
	status = lazy(`^(?:continuing autonomously|request failed due to a transient api error|response was interrupted|operation cancelled|retrying|reconnecting|possible quota|exiting)`)
)

// toolResult says that the line k before the latest is a tool's result, or "".
func (s *side) toolResult(head line, k int) string {
	if s.n == 0 || head.indent == 0 && head.bullet == 0 {
		return ""
	}
	tree := head.tree()
	if head.bullet != 0 && !tree {
		if subAgent().MatchString(head.text) {
			return "a sub-agent's"
		}
		return ""
	}
	for n := k + 1; n < recentRows; n++ {
		b := s.back(n)
		if len(b) == 0 {
			return ""
		}
		l := cleanLine(b)
		switch {
		case l.tree():
			tree = true
		case l.bullet == '>' || l.bullet == '❯':
			return ""
		case l.bullet != 0:
			if toolCall().MatchString(l.text) || subAgent().MatchString(l.text) || tree && !wrapped(l, "") && n > k {
				return "a tool's result"
			}
			return ""
		case l.indent == 0:
			if tree && toolCall().MatchString(l.text) {
				return "a tool's result"
			}
			return ""
		}
	}
	if tree {
		return "a tool's result"
	}
	return ""
}

// resumeID is the id that a client says --resume takes.
func resumeID(text string) (id string) {
	for id == "" {
		at := strings.Index(text, "--resume")
		if at < 0 {
			break
		}
		if text = text[at+len("--resume"):]; text != "" && (text[0] == '=' || text[0] == ' ') {
			id = sessionID(text[1:])
		}
	}
	return id
}

// sessionID is the id of 8 to 64 characters with which a text begins, or "".
func sessionID(text string) string {
	n := 0
	for n < min(len(text), 64) && (isAlnum(text[n]) || text[n] == '_' || text[n] == '-') {
		n++
	}
	if n < 8 {
		return ""
	}
	return text[:n]
}

// sideNotes keeps what a retry needs to know: the session, and whether work
// was done.
func (r *run) sideNotes(id Stream, l line) {
	switch {
	case strings.HasPrefix(l.text, "Resume"):
		if id := resumeID(l.text); id != "" {
			r.session = id
		}
	case strings.HasPrefix(l.text, "session id:"):
		if id, ok := strings.CutPrefix(l.text, "session id: "); ok && sessionID(id) == id && id != "" {
			r.session = id
		}
	case strings.HasPrefix(l.text, "Changes"):
		if g := workDone().FindStringSubmatch(l.text); g != nil && (g[1] != "0" || g[2] != "0") {
			r.work = true
		}
	}
	if strings.HasSuffix(l.text, ":") && strings.Contains(l.text, " succeeded in ") {
		r.work = true
	}
	if !strings.ContainsRune("└│⎿", l.bullet) || l.boxed {
		return
	}
	s := &r.streams[id]
	for n := 1; n < recentRows; n++ {
		p := r.d.line(s.back(n))
		switch p.bullet {
		case '●', '⏺', '•', '✗', '✘', '✕':
			if subAgent().MatchString(p.text) && p.bullet != '●' && p.bullet != '⏺' {
				r.subAgentFailed(l.text)
			}
			r.work = r.work || !strings.HasPrefix(p.text, "Tip:") && p.text != ""
			return
		case '└', '│', '⎿':
		default:
			return
		}
	}
}

// subAgentFailed forgets a notice that was a sub-agent's: copilot prints it as
// its own on stderr, and on stdout below the agent's name.
func (r *run) subAgentFailed(text string) {
	r.endSeries()
	r.absorb = r.series.count == 0
	if r.found && sameNotice(r.last.text, text) {
		r.drop("a sub-agent's: the run went on")
		return
	}
	copy(r.subs[1:], r.subs[:])
	r.subs[0] = text
}

// fromSubAgent reports, once for each failure, that a sub-agent ended on text.
func (r *run) fromSubAgent(text string) bool {
	for i, s := range r.subs {
		if s != "" && sameNotice(s, text) {
			r.subs[i] = ""
			return true
		}
	}
	return false
}

func sameNotice(a, b string) bool {
	a, b = squeeze(a), squeeze(b)
	n := min(len(a), len(b))
	return n >= 12 && a[:n] == b[:n]
}

// squeeze leaves lower-case letters and digits only, which no wrap changes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r > 0x2fff:
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
