package detect

import (
	"regexp"
	"strings"
)

// This file takes off a line what a log puts before a message.

// unstamp takes the time and the logger off a line that a client logs as an error.
func unstamp(text string) (rest string, isError bool) {
	if g := logfmt().FindStringSubmatch(text); g != nil {
		return g[1], true
	}
	for _, l := range logged {
		if g := l.re().FindStringSubmatch(text); g != nil {
			return l.says + " " + strings.Join(g[1:], " "), true
		}
	}
	if strings.HasPrefix(text, "{") {
		if said := loggedError(text); said != "" {
			return said, true
		}
	}
	if g := wholeQuote().FindStringSubmatch(text); g != nil {
		text = g[1]
	}
	text = apology().ReplaceAllString(text, "")
	for range 6 {
		if g := level().FindStringIndex(text); g != nil {
			text, isError = text[g[1]:], true
		} else if g := stamp().FindStringIndex(text); g != nil {
			text = text[g[1]:]
		}
	}
	return text, isError
}

// logged are lines with which programs note that a model limited them, and
// how they would say it.
var logged = []struct {
	re   func() *regexp.Regexp
	says string
}{
	// the Python SDKs print their messages as they are made
	{lazy(`^\w*Message\(.*?(?:text=(?:"([^"]*)"|'([^']*)').*)?\berror=["'](rate_limit|billing_error|overloaded)["']`), "error:"},
	// OpenHands tells of its agent's state
	{lazy(`\bto AgentState\.(RATE_LIMITED)\b|\bagent_state=\W*(?:AgentState\.)?((?i:rate_limited))\b`), "error: the agent was"},
	// the Copilot extension of VS Code logs each request
	{lazy(`\bmodel_events\S* Model provider request failed \{.*"http_status":(429|402)\b`), "error: status"},
	{lazy(`\[ERROR\].* turn ended: (rate_limit\w*|quota\w*)`), "error: rate_limit_error"},
	{lazy(`\bccreq:\S+ \| (rateLimited|quotaExceeded) \|`), "error: request was"},
}

// loggedError is what a line of a log in JSON says of a call of a model that
// failed, "" if it is no such line.
func loggedError(text string) string {
	var level, said string
	eachScalar([]byte(text), func(path, v []byte, quoted bool) {
		switch string(path) {
		case "level", "severity", "lvl":
			level = strings.ToLower(string(v))
		case "msg", "message", "error", "err":
			said += " " + unescape(v, 2<<10)
		}
	})
	if level != "error" && level != "fatal" && level != "critical" || !ofProvider().MatchString(strings.ToLower(text)) {
		return ""
	}
	return "error:" + said
}

var (
	clocked = lazy(`^\[?(?:\d{2,4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d\b`)
	// infoLine is a line of a log that tells of no error.
	infoLine = lazy(`^(?:[^\pL\pN_\s"'` + "`" + `(){}\[\]<>*#+-]{1,3}\s+)?(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:- )?)?(?:[\w.-]+:){0,3}\[?(?:INFO|DEBUG|TRACE|info|debug|trace)\]?:?\s`)
	// toolFailed is the error of a command that calls no model.
	toolFailed = lazy(`^(?:curl|wget|pip|docker|kubectl|git|psql|redis-cli)(?:: | err| error)`)
	// said is what a program noted of the output of its client.
	said = lazy(`^(?i:output|stdout|stderr|error|result|message)\b`)
	// ownError is an error as the clients say it that end with 0 on one.
	ownError = lazy(`^(?:litellm\.|ran into this error|the api provider|error:)`)
	// summary is a row of the figures that clients print at the end.
	summary = lazy(`^(?i:changes|duration|tokens|resume|requests|total|cost|api time|session|model|usage by)\b(?: {2,}|: )`)
	// frame is a row of a stack, which says where and not what.
	frame = lazy(`^at (?:async )?(?:new )?[\w.$<>/\[\] ]+\(|^at (?:file:|/|node:|https?:)|^File "|^\d+: 0x|^goroutine \d|^\^+$`)
	// wholeQuote is a message that a client prints as a JSON string.
	wholeQuote = lazy(`^"([^"]+)"$`)
	// detected is a program that tells what it has seen its client print.
	detected = lazy(`^(?i:error:|fatal:|[\w -]{0,30}error:)?.{0,60}\bdetected\b[^"]{0,40}"`)
	sorry    = lazy(`^(?i:oops|sorry|i'm sorry|we're sorry|unfortunately)\b`)
	apology  = lazy(`^(?i:(?:i'm|i am|we're|we are) sorry,? (?:but )?(?:i|we) (?:can't|cannot|couldn't|could not|am unable to|are unable to|was unable to) [\w ]{3,50}[.;:] )`)
	logfmt   = lazy(`^time=\S+ level=(?i:error|fatal) (?:source=\S+ )?(msg=.*)`)
	stamp    = lazy(`^[^\pL\pN_\s"'` + "`" + `(){}\[\]<>*#+-]{1,3}\s+|^\[ *\d+\]\s+|^(?:WARN|ERROR|INFO) +- #\S+ - |^\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:- )?|^\[(?:[A-Za-z][\w-]*)(?:/[\w-]+)*\]\s+`)
	level    = lazy(`^(?:[\w.-]+:){0,3}\[?(?:ERROR|FATAL|CRITICAL|error|fatal)\]?:?\s+(?:[\w./-]+:\d+ - |codex_\w+(?:::\w+)*: |\w+(?:::\w+)+: )?`)
	errorish = lazy(`^(?i:(?:\w+: |[45]\d\d )?\{.{0,200}"\$?(?:error|code|message|errors|status|name|fault|statusCode)"|(?:[\w'-]+ ){0,3}(?:error|failed|failure|fatal|panic(?:ked)?|exception|traceback|denied|cannot|unable|fehler|erreur|errore|fout|blad|hata)\b|ошибка|помилка|エラー|오류|错误|錯誤|http (?:error |status )?[45]\d\d\b|(?:post|get|put) "?https?://\S+ [45]\d\d\b|error_?message\b|response status (?:was|is|code) [45]\d\d\b|(?:sorry, )?there was an (?:error|issue|problem)\b|(?:[\w-]+ ){1,8}(?:internal|api|server|agent|loop|provider|model|client|stream) error: |[\w ]{0,30} is having trouble responding|fail\b|permission denied|aborted|killed|segmentation|got status|\w+exception\b|\w+error\b)`)
	logLine  = lazy(`^HTTP/[\d.]+ \d{3}|^(?:\[[\w -]+\] )?"?(?:GET|POST|PUT|PATCH|DELETE|HEAD) /\S*.{0,12} \d{3}\b|^[\w.-]+-\d+ +\| |^\{.*"(?:level|ts|lvl|severity|logger)":|^(?:level|time|ts)=`)
	attempt  = lazy(`\b(?:attempt|try|retry) \d+`)
	// otherEnd is an end for another reason, even if it reads like giving up.
	otherEnd = lazy(`^(?:fail|pass|ok|tests?:|test result|failures?:|e {2,}|-{3} (?:fail|pass|skip)|={3,} (?:run|name|cont|pause|fail|short|error|\d+ ))(?:\b|\s|$)|\b\d+ (?:passed|failed|failures?|failing)\b|^make: \*\*\*|build fail|\b(?:max(?:imum)?|reached|exceeded)\b.{0,30}\b(?:steps?|turns?|iterations?|tool calls)\b|\bstatus:? (?:5(?:0[0-24-9]|[1-9]\d)|40[013])\b|\bccreq:\S+ \| success\b|\bto agentstate\.(?:running|finished|awaiting\w*)\b`)
	// gaveUp says that the run ended, and not why.
	gaveUp = lazy(`^traceback \(|giving up|gave up|did not succeed|failed after \d+ (?:retries|attempts)|\bexit(?:ed)?(?: with)?(?: code| status)? ?\d|exit[ _]?code|attempt \d+ failed|status 1\b|^(?:error: )?(?:the )?(?:task|run|request|execution|agent|turn|job|command|session|conversation|query|step|generation|completion|stream|call|loop|llm call|embedded run|child)\b.{0,40}(?:failed|ended|aborted|stopped|terminated|interrupted|cancell?ed|incomplete)|all models failed|no fallback|check (?:the )?(?:stderr|logs?|output)\b|command failed|retries\b.{0,8} exhausted|trying fallback|failed to (?:configure|complete|run|start|execute)|^location:|backtrace|max(?:imum)? (?:number of )?retries|retry limit|critical error|see (?:the )?logs?\b|full (?:report|log)|saved to|process completed|lifecycle|elifecycle|could not complete|couldn't complete|not completed|no response|non-?retr(?:y|i)able|aborting\b|(?:rejected|refused) the request|nothing (?:was )?(?:done|changed)|something went wrong|an error occurred|error (?:while )?(?:running|executing|loading|generating|processing|calling)[^:]{0,40}$|unhandled|debug information|request id|trace ?id|session saved|resume with|shutting down|goodbye|bye\b|cost:|tokens?:|duration`)
)
