package detect

import (
	"regexp"
	"strings"
	"sync"
)

// grammar are the phrases of which the rules' patterns are made.
var grammar = map[string]string{
	// the one who is limited
	"{you}":   `(?:you|your (?:account|organi[sz]ation|org|team|plan|workspace|project|subscription|api key|key|company|group)(?: [\w-]{1,40})?)(?:'ve| have| has|'re| are| is)?`,
	"{thing}": `(?:this|the|your|that|our) (?:current |incoming |last )?(?:request|requests|account|organi[sz]ation|org|team|workspace|project|model|api key|key|subscription|plan|prompt|message|user|usage|deployment|session)(?: [\w./-]{1,60}){0,5}?`,
	"{sorry}": `(?:(?:i'm |we're )?sorry[,.]? (?:but )?|oops[,!] |unfortunately,? |we're sorry,? but )?`,
	"{adv}":   `(?:just |already |currently |temporarily |now |also |fully |recently |either )*`,
	// what is done to a limit
	"{used}": `(?:hit|reached|exceeded|exhausted|used up|used|run out|ran out|out|depleted|surpassed|maxed out|gone over|went over|consumed|spent|over)(?: all)?(?: of)?`,
	// a limit, as subjects leaves it
	"{subject}": "§",
	// the end of the sentence
	"{stop}": `(?:$|\s*[.!,;:·∙•|()\[\]]| try | please )`,
	// what may follow: prose goes on with other words
	"{end}": `(?:$|\s*[.!,;:·∙•|()\[\]{}"\\—–*-]|'?\s(?:for|on|in|at|per|please|pls|try|retry|retrying|until|resets?|reset|that|of|with|to|by|within|switch|switching|visit|upgrade|wait|waiting|learn|go|see|check|contact|purchase|add|enable|today|this (?:month|week|session|hour|day|model)|or|limit|current|too many|\d)\b)`,
}

// labels are what clients put before an error.
const labels = `(?:` +
	`failed to get response from the ai model; retried \d+ times? (?:\([^)]*\) ?)*last error:|` +
	`error(?: code)?(?: ?\(\d{3}\))?:|error {2,}|(?:[a-z]: )?\[[a-z_]+\] error:|[a-z]: \[[a-z_]+\]|\[(?:error|fatal|err)\]:?|\[(?:[\w-]+ ){1,3}(?:error|failure)\]:?|errors?\b ?[-–:]|fatal:|` +
	`(?:[\w-]+\.)*[\w-]*(?:error|exception|failure)(?: ?\[[\w-]+\])?:|` +
	`(?:[\w'-]+ ){0,5}(?:error|failed|failure|exception)(?: ?\(\d{3}\))?(?: ?\([^)]{1,40}\))?:|` +
	`api error ?\(\d{3}(?: |\))|\[?api error:|` +
	`(?:[\w-]+ ){0,3}failed (?:after|with) [^:{]{1,40}:|` +
	`failed to [^:{]{1,80}:|could not [^:{]{1,60}:|unable to [^:{]{1,60}:|error (?:during|when|while|in|from|calling|executing|running|generating|processing|streaming|talking)\b[^:{]{0,80}:|` +
	`error when talking to gemini api\b.*?\w+error:|` +
	`(?:caused by|last error|original error|cause|reason|message|details?|response|body|stderr|result|data):|` +
	`stream (?:disconnected|error|closed|failed)[^:]{0,40}:|reconnecting\.\.\. \d+/\d+ \(|` +
	`request (?:rejected|failed|error) ?\(\d{3}\) ?[·:-]|` +
	`(?:http(?:/[\d.]+)? )?(?:status(?: code)?:? )?4(?:29|02) [·:-]|too many requests:|4(?:29|02) (?:4(?:29|02) )?|` +
	`agent terminated early due to an api error:` +
	`) *["']?`

var (
	labelled = lazy(`^` + labels)
)

// limitNouns end the name of a limit, limitWords stand before them.
var (
	limitNouns = set(`limit limits ratelimit ratelimits quota quotas allowance allowances cap caps credit credits budget budgets usage invocations`)
	limitWords = set(`the your this its our their any all of a an current configured maximum max number free premium included additional extra allotted
available allowed total overall chat agent mode agent-mode copilot github chatgpt claude claude's code codex gemini opus sonnet haiku fable gpt anthropic
openai azure groq google vertex openrouter cursor amp kimi opencode provider upstream pro plus team teams business enterprise go tier
organization organization's organisation organisation's org org's account account's workspace workspace's project project's user users user's personal individual
company company's subscription subscription's model model's models api key key's global session sessions weekly daily monthly hourly annual yearly minute minutely
per hour hours hr h day days week month second per-minute per-hour per-day per-week per-month per-second per-model per-user five-hour seven-day
usage rate spend spending cost budget billing message messages request requests prompt prompts token tokens input output completion completions
credit credits ai quota concurrent concurrency connection connections tpm rpm tpd rpd itpm otpm llm invocation invocations fast standard priority background
plan plan's limit and for on premium-request interaction interactions generation inference burst capacity`)
	// countable are limits only with a word before that says so.
	countable     = set(`requests tokens messages prompts interactions`)
	countableBy   = set(`premium free included chat agent model ai api daily monthly weekly hourly input output`)
	numberOfUnits = lazy(`^\(?\d+(?:-?(?:hours?|hr|h|days?|d|minutes?|weeks?|months?))?\)?$`)
	modelName     = lazy(`^(?:gpt|claude|gemini|o\d|kimi|grok|llama|mistral|qwen|deepseek)[\w.:/-]*\d[\w.:/-]*$`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// subjects replaces every name of a limit in lower-case text by §: "your weekly
// usage limit" and "the rate limit of this key" are all the same to the rules.
func subjects(low string) string {
	var out strings.Builder
	for i := 0; i < len(low); {
		if n := subjectAt(low[i:]); n > 0 {
			out.WriteString("§")
			i += n
			continue
		}
		n := wordLen(low[i:])
		out.WriteString(low[i : i+n])
		if i += n; i < len(low) {
			out.WriteByte(low[i])
			i++
		}
	}
	return out.String()
}

// subjectAt is the length of the longest name of a limit at the start of s.
func subjectAt(s string) (length int) {
	prev := ""
	for i, n := 0, 0; n < 11; n++ {
		end := i + wordLen(s[i:])
		w := s[i:end]
		switch noun := strings.TrimRight(w, "'"); {
		case limitNouns[noun], countable[noun] && countableBy[prev]:
			length = i + len(noun)
		case strings.HasPrefix(w, "rate-limit") && len(w) <= len("rate-limits"):
			length = end
		case !limitWords[w] && !isModelName(w) && !(n < 4 && isNumberOfUnits(w) && w != "429" && w != "402"):
			return length
		}
		if end >= len(s) || s[end] != ' ' {
			return length
		}
		i, prev = end+1, w
	}
	return length
}

// isModelName and isNumberOfUnits spare most words the pattern.
func isModelName(w string) bool {
	return len(w) > 1 && strings.IndexByte("gcokglmqd", w[0]) >= 0 && strings.ContainsAny(w, "0123456789") && modelName().MatchString(w)
}

func isNumberOfUnits(w string) bool {
	return w != "" && (w[0] == '(' || '0' <= w[0] && w[0] <= '9') && numberOfUnits().MatchString(w)
}

// wordLen is the length of what stands before the next blank or stop.
func wordLen(s string) int {
	for i := range len(s) {
		switch s[i] {
		case ' ', ',', ';', ':', '!', '(', ')', '[', ']', '{', '}', '"', '|':
			if s[i] == '(' && i == 0 || s[i] == ')' && i > 0 && s[0] == '(' {
				continue // "(7-day)"
			}
			return i
		case '.':
			if i+1 == len(s) || s[i+1] == ' ' {
				return i
			}
		}
	}
	return len(s)
}

var placeholder = lazy(`\{[a-z]+\}`)

// expand puts the grammar's phrases into a pattern.
func expand(pattern string) string {
	for strings.Contains(pattern, "{") {
		next := placeholder().ReplaceAllStringFunc(pattern, func(p string) string {
			if phrase, ok := grammar[p]; ok {
				return phrase
			}
			return p
		})
		if next == pattern {
			break
		}
		pattern = next
	}
	return pattern
}

// A matcher is a rule's pattern, ready for use.
type matcher struct {
	re      func() *regexp.Regexp // nil: the rule is read by code
	needs   []string
	subject bool // looks at the text with names of limits as §
	reach   int  // bytes of the text that it looks at
}

// compiled are the rules' matchers, in the rules' order. They are only built
// when a first line needs them: most runs never do.
var compiled = sync.OnceValue(func() []matcher {
	all := make([]matcher, len(rules))
	for i, r := range rules {
		if r.pattern == "" {
			continue // read by code: events, the log, the status
		}
		head, reach := "^", 4<<10
		switch r.anchor {
		case afterLabel:
			head, reach = "", 400
		case anywhere:
			head = ""
		}
		all[i] = matcher{
			re:      sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(head + `(?:` + expand(r.pattern) + `)`) }),
			subject: strings.Contains(r.pattern, "{subject}"),
			reach:   reach,
		}
		if r.needs != "" {
			all[i].needs = strings.Split(r.needs, "|")
		}
	}
	return all
})

// vocabulary are the words of the rules and of reset times: a word that a hard
// wrap has cut is one of them.
var vocabulary = sync.OnceValue(func() map[string]bool {
	letters := regexp.MustCompile(`[a-z]{3,}`)
	all := map[string]bool{}
	add := func(text string) {
		for _, w := range letters.FindAllString(text, -1) {
			all[w] = true
		}
	}
	for _, r := range rules {
		add(strings.ToLower(r.example))
		add(expand(r.pattern))
	}
	add(labels)
	for _, phrase := range grammar {
		add(expand(phrase))
	}
	add("again later after before trying hours hour minutes minute seconds second days resets reset wait waiting please within available until limited limit " +
		"january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday retry moment under less than about approximately")
	for _, w := range triggerWords {
		add(w.word)
	}
	for w := range all {
		if !strings.HasSuffix(w, "s") {
			all[w+"s"] = true
		}
	}
	for _, more := range []map[string]bool{limitNouns, limitWords} {
		for w := range more {
			all[w] = len(w) > 2 || all[w]
		}
	}
	all["you've"], all["you're"] = true, true
	return all
})
