package detect

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A shape is how lines look that talk about a limit but are none: what they are.
// may spares most texts the pattern.
type shape struct {
	why string
	may func(text string) bool
	re  func() *regexp.Regexp
}

// notNotices are all such shapes.
var notNotices = []shape{
	{"diff", with("+-@i"), lazy(`^(?:[+-](?:\s|[^\s\d].*[;{}"',]$)|\+\+\+|---|@@|index [0-9a-f]{7})`)},
	{"quoted", with("\"'`([\xe2\xc2"), lazy("^[\"'`“”«„(\\[]*[\"'`“”«„]")},
	{"list", with("-[#0123456789\xe2"), lazy(`^(?:[-–]\s|\d{1,3}[.)]\s|\[[ x]\]\s|#\d)`)},
	{"heading", with("#"), lazy(`^#{1,6}\s`)},
	{"table", with("|"), lazy(`^\|.*\|`)},
	{"code", with("/*<-"), lazy(`^(?://|/\*|<!--|\*\s|--\s|<\w+[ >])`)},
	{"code", anyText, lazy(`^(?:if|for|while|return|const|let|var|func|function|def|class|import|export|throw|raise|case|await|async|public|private|type|assert|expect|it|test|describe|console|print|fmt|log|logger|echo|printf|curl|grep|rg|sed|awk|cat|git)\b[ .(]`)},
	{"code", holds('='), lazy(`^[\w.\]\[]+\s*(?::=|[-+]?=)\s`)},
	{"code", holds('('), lazy(`^[\w.]+\(.*\)\s*[;{]?$`)},
	{"file and line", numbered, lazy(`^(?:[\w./\\@-]+\.\w{1,5}|[\w-]+(?:/[\w.-]+)+)(?::\d+|\(\d+)`)},
	{"file and line", with("0123456789"), lazy(`^\d+(?:[:-][ \t]|[:-]\S+[:({;/=]|-\s*\w+\()`)},
	{"line number", with("0123456789 \t\n\f\r"), lazy(`^\s*\d+(?:→|\s?│|\s?\||:\d)`)},
	{"test", testLike, lazy(`^(?:---|===|ok|FAIL|PASS|RUN|✓|✔|√|not ok)\s|(?:::|\s)(?:PASSED|FAILED|SKIPPED)\b|^\S+ ›|^(?:Test|test_)\w+`)},
	{"log", with("[<0123456789JFMASONDITWlt"), lazy(`^(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d\d:|\d{1,3}(?:\.\d{1,3}){3}\s|(?:level|time|ts)=|<\d+>|(?:INFO|DEBUG|TRACE|WARN|WARNING|NOTICE)\b(?:[:\s\[(]))`)},
	{"a template", holds('%', '{', '$'), lazy(`%\{\w+\}|\{\{ ?\w+ ?\}\}|\$\{\w+\}|%[sd]\b`)},
	{"another program's line", holds('|'), lazy(`^(?:[\w.-]+-\d+|[a-z][\w.-]*) +\| `)},
	{"another program's line", with("["), lazy(`^\[(?:[\w .-]{1,40})\]\s`)},
	{"another program's line", anyText, lazy(`^(?i:ralph[\w-]*|loop|supervisor|watchdog|squad|circuit[- ]?breaker|orchestrator|scheduler|toomanyrequests|remote|npm|pip|docker|kubectl|curl|wget|git|bash|zsh|sh|make|cp|mv|tar|rsync|error from server|nginx|redis|postgres)(?::| \(| (?:err|error|warn)\b)`)},
}

// with makes a check that a text begins with one of the bytes.
func with(bytes string) func(string) bool {
	return func(text string) bool { return text != "" && strings.IndexByte(bytes, text[0]) >= 0 }
}

// holds makes a check that one of the bytes stands in a text.
func holds(bytes ...byte) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(bytes, func(c byte) bool { return strings.IndexByte(text, c) >= 0 })
	}
}

func anyText(string) bool { return true }

// numbered checks that a number stands behind what may be the name of a file.
func numbered(text string) bool {
	n := 0
	for n < len(text) && (isAlnum(text[n]) || strings.IndexByte(`_./\@-`, text[n]) >= 0) {
		n++
	}
	return n > 0 && n+1 < len(text) && (text[n] == ':' || text[n] == '(') && '0' <= text[n+1] && text[n+1] <= '9'
}

var testBegins = with("-=oFPRnTt\xe2")

func testLike(text string) bool {
	return testBegins(text) || strings.Contains(text, "ED") || strings.Contains(text, " ›")
}

func mayQuote(text string) bool {
	return strings.IndexByte(text, '"') >= 0 || strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "“")
}

// quotesIt is a sentence with a notice between quotation marks. JSON is none.
var quotesIt = lazy("[\"`“][^\"`”{]*(?i:rate.?limit|429|too many requests|quota|limit (?:reached|exceeded)|hit your)[^\"`”]*[\"`”](?:\\s\\w|,|\\.|$)")

// answered is the answer of a server, with its text in quotes.
var answered = lazy(`^(?i:error:? )?4\d\d "`)

// dumped is an error as a program prints the value.
var dumped = lazy(`[{(\[, ](?:message|error|code|detail|reason): "`)

// allowedBrackets are tags at the start of a line that are a client's own.
var allowedBrackets = lazy(`^\[(?i:api error|error|fatal|err|(?:[\w-]+ ){1,3}(?:error|failure))\b`)

// noNotice says why a line's shape rules it out, or "".
func noNotice(text string) string {
	for _, n := range notNotices {
		if n.may(text) && n.re().MatchString(text) {
			if n.why == "another program's line" && allowedBrackets().MatchString(text) {
				continue
			}
			return n.why
		}
	}
	if mayQuote(text) && quotesIt().MatchString(text) && !answered().MatchString(text) && !dumped().MatchString(text) && !strings.Contains(text, `":`) && !strings.Contains(text, `':`) {
		return "quotes it"
	}
	return ""
}

// marked reports a row that begins with the mark of an error.
func (l line) marked() bool { return strings.ContainsRune(errorBullets, l.bullet) }

// tree reports a row that begins with the mark of a tool's result.
func (l line) tree() bool { return strings.ContainsRune(treeBullets, l.bullet) && !l.boxed }

// drawn reports that a row is drawn, not written.
func drawn(text string) bool {
	return strings.IndexFunc(text, unicode.IsLetter) < 0 && strings.IndexFunc(text, unicode.IsDigit) < 0
}
