package detect

import (
	"regexp"
	"strings"
)

// maxEvidence bounds the text of a verdict or a look, in bytes.
const maxEvidence = 300

// secrets are what is taken out, each only looked for where one of hints
// stands, separated by blanks.
var secrets = []struct {
	hints string
	re    func() *regexp.Regexp
	with  string
}{
	{"id ID Id ray", lazy(`(?i)\s*\(?\b(?:request[- _]?id|req[-_]id|trace[-_ ]?id|correlation[- _]?id|x-request-id|cf-ray)["']?\s*[:=]?\s*["']?[\w:.-]{6,}["']?\)?`), ""},
	{"gh github_pat glpat sk- pk- rk- xox AIza ya29 AKIA eyJ hf_ gsk_ xai-", lazy(`\b(?:gh[a-z]_|github_pat_|glpat-|sk-|pk-|rk-|xox[a-z]-|AIza|ya29\.|AKIA|eyJ|hf_|gsk_|xai-)[\w.~+/=-]{6,}`), "…"},
	{"earer EARER asic oken OKEN key Key KEY assword ASSWORD ecret ECRET uthoriz", lazy(`(?i)\b(bearer|basic|token|api[-_ ]?key|password|secret|authorization)(["']?\s*[:=]\s*["']?|\s+)[\w.~+/=-]{8,}`), "$1$2…"},
	{"org rganiz proj user acct req msg ses key", lazy(`\b(org|organization|proj|project|user|acct|req|msg|ses|key)[-_][\w]{6,}`), "$1-…"},
	{"@", lazy(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`), "…@…"},
	{"@", lazy(`(https?://)[^\s/@]+@`), "$1"},
	{"://", lazy(`(https?://[^\s?#"')\]]+)[?#][^\s"')\]]*`), "$1"},
	{"-", lazy(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "…"},
	{".", lazy(`\b(?:\d{1,3}\.){3}\d{1,3}\b`), "…"},
	{"", lazy(`\b[A-Za-z0-9+_-]*(?:[A-Za-z][A-Za-z+_-]*\d|\d[\d+_-]*[A-Za-z])[A-Za-z0-9+_-]{22,}={0,2}`), "…"},
}

// redact makes a line fit to be shown and recorded: one line, without tokens,
// keys, addresses, ids and queries, and not long.
func redact(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > 4*maxEvidence {
		s = s[:4*maxEvidence]
	}
	for _, r := range secrets {
		if r.hints == "" && longestWord(s) >= 24 || hasHint(s, r.hints) {
			s = r.re().ReplaceAllString(s, r.with)
		}
	}
	return cutText(s, maxEvidence)
}

// cutText cuts s between two runes.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = strings.ToValidUTF8(s[:limit], "")
	return strings.TrimRight(s, " ") + "…"
}

func hasHint(s, hints string) bool {
	for h := range strings.FieldsSeq(hints) {
		if strings.Contains(s, h) {
			return true
		}
	}
	return false
}

func longestWord(s string) (longest int) {
	for w := range strings.FieldsSeq(s) {
		longest = max(longest, len(w))
	}
	return longest
}
