package detect

import (
	"slices"
	"strings"
)

// This file reads the error on which a run failed by its words. Wording changes
// every few months; the words of a limit do not: what it is of, what happened
// to it, when it ends, what helps.

// A message is an error as a client printed it.
type message struct {
	text   string // joined
	below  string // what stands below it
	error  bool   // it has an error's label or mark
	folded string
	parts  []string // its sentences, folded
}

func newMessage(text, below string, isError bool) *message {
	m := &message{text: cutText(text, 3<<10), below: cutText(below, 1<<10), error: isError}
	m.folded = fold(m.text)
	for _, p := range sentenceEnd().Split(m.folded, 40) {
		if p = strings.TrimSpace(p); p != "" {
			m.parts = append(m.parts, p)
		}
	}
	return m
}

// sentenceEnd is where what a word belongs to ends.
var sentenceEnd = lazy(`[.!?;]["')]*(?:\s|$)|[。！？；]|\s[·∙•|—]\s|\s-\s`)

// read says what a message means, and by which of its words.
func (m *message) read() (verdict Kind, why string) {
	if m.foreign() {
		return None, ""
	}
	limit := m.limit()
	switch {
	case overload.in(m.folded) && limit != byNamed && !ofCodeLoad().MatchString(m.folded) && (m.error || provider().MatchString(m.folded)):
		return Overloaded, "a provider without capacity"
	case limit != "":
		return Limit, limit
	case m.unavailable():
		return Unavailable, "a model that is not offered"
	}
	return None, ""
}

var (
	// provider are words of what may be without capacity.
	provider = lazy(`\b(?:models?|servers?|services?|api|providers?|engine|systems?|backend|upstream|cluster|please|try|retry|later|again|demand|traffic|serv\w+)\b|[^\x00-\x7f]`)
	// ofCodeLoad is what programmers overload, and other things that are loaded.
	ofCodeLoad = lazy(`\bport |overload(?:s|ed|ing)? (?:of )?(?:\w+[- ])?(?:functions?|methods?|operators?|constructors?|built-ins?|objects?|forms?|types?|signatures?|templates?|members?)\b|(?:functions?|methods?|operators?|constructors?|non)[- ]overload|overload resolution|overload\w*[._/]\w|[\w][._/]overload|no (?:matching )?overload`)
)

// How a limit was read.
const (
	byCode   = "a typed code"
	byStatus = "the status of the answer"
	byNamed  = "the name of a limit, and what happened to it"
	byPart   = "a limit of something, and what happened to it"
	byCount  = "what is counted is gone until later"
	byEnd    = "the name of a limit, and when it ends"
	byHaste  = "too much at a time"
)

func (m *message) limit() string {
	if m.typed() {
		return byCode
	}
	for _, p := range m.parts {
		if otherSubject(p) {
			continue
		}
		if why := m.limitIn(p); why != "" {
			return why
		}
	}
	if m.error && limitStatus().MatchString(m.folded) && !otherThings().MatchString(m.folded) && !counts().MatchString(m.folded) {
		return byStatus
	}
	return ""
}

// firm reports that a message can only be a notice: what was read in it, and
// when that ends.
func (m *message) firm(why string) bool {
	return why == byCode || why != byHaste && stated(m.folded) && when.in(m.folded)
}

// bare reports that a message without the mark of an error is one all the same:
// each of its sentences is of the limit, and none tells about one.
func (m *message) bare() bool {
	if len(m.text) > maxBare || told().MatchString(wish().ReplaceAllString(m.folded, "")) {
		return false
	}
	for _, p := range m.parts {
		if !ofLimit(p) {
			return false
		}
	}
	return true
}

// maxBare bounds a notice without a label.
const maxBare = 400

func ofLimit(p string) bool {
	for _, c := range [...]class{named, bare, what, counted, when, advice, throttle} {
		if c.in(p) {
			return true
		}
	}
	return !strings.ContainsAny(p, " ") || labelled().MatchString(p)
}

// wish is what a notice says of its reader.
var wish = lazy(`\bif you (?:would|want|need|wish|think|believe)\b`)

// told is somebody who writes about a limit: on what condition it is reached,
// what is answered then, and in which file.
var told = lazy(`\b(?:when|if|once|whenever|wenn|falls|sobald|quand|si|lorsque?|au-dela|cuando|quando|als|wanneer|gdy|jesli|asildiginda|returns?|responds?|answers?|called|antwortet|repond|renvoie|responde|devuelve|ich habe|j'ai|he anadido|adicionei|ho aggiunto|i've|i have|i added|i changed|summary|note|completed|updated|renamed|fixed)\b|場合|すると|返し|しました|하면|했습니다|时返回|我已|если|теперь|коли|` +
	`.\b(?:429|402)\b(?:[^ ]| [^tr])|["“„«「『` + "`" + `»”」]\w|->|=>|\w=\w|\w\.(?:ts|tsx|js|py|go|rs|java|rb|md|json|ya?ml|toml|sh)\b|\bfiles?\b|\btests?\b|\bv?\d+\.\d+\.\d+\b|\[[a-z]{2,12}\]|│|↳|^\W*\[?[\w-]+\]? (?:\d+: |\w+: \d)`)

// limitIn reads one sentence.
func (m *message) limitIn(p string) string {
	all := m.folded + " " + fold(m.below)
	later := when.in(all) || period().MatchString(p)
	switch {
	case near(named, gone, p, 70):
		return byNamed
	case throttle.in(p):
		return byHaste
	case near(bare, gone, p, 90) && (what.in(p) || later || advice.in(all)):
		return byPart
	case near(counted, gone, p, 40) && (later || advice.in(all)):
		return byCount
	case named.in(p) && later && (m.error || stated(all)) && when.in(p+" "+fold(m.below)):
		return byEnd
	case hurry.in(p) && (stated(all) || later && (counted.in(p) || named.in(p))):
		return byHaste
	}
	return ""
}

var period = lazy(`\b(?:daily|weekly|monthly|hourly|per (?:minute|hour|day|week|month)|\d+[- ]hours?)\b`)

// near reports that words of both classes stand close to each other.
func near(a, b class, p string, reach int) bool {
	first := a.at(p)
	if first == nil {
		return false
	}
	for _, y := range b.at(p) {
		for _, x := range first {
			if max(x[0]-y[1], y[0]-x[1]) <= reach {
				return true
			}
		}
	}
	return false
}

// stated reports that a text says when something ends.
func stated(folded string) bool { return clockWords().MatchString(folded) }

var clockWords = lazy(`\d\s?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)\b|\d{1,2}:\d\d|\d ?[ap]m\b|\b\d{4}-\d\d-\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d|half an hour|(?:an|one|next|a few|several|two|three) (?:hour|minute|day|week|month)|tomorrow|midnight|\d+ ?(?:分|秒|小时|時間|시간|초|天|минут|час|секунд|хвилин|годин)`)

// typed reports that a typed code of a limit stands in the message.
func (m *message) typed() bool {
	if providerNumber().MatchString(m.folded) {
		return true
	}
	for _, w := range codeWord().FindAllString(m.text, 80) {
		bare := strings.ToLower(strings.NewReplacer("_", "", ".", "", "-", "").Replace(w))
		if codeLike().MatchString(bare) && (m.error || strings.ContainsAny(m.text, `{(:`)) {
			return true
		}
	}
	return false
}

var (
	// limitStatus is the status of an answer, not any number.
	limitStatus = lazy(`(?:^|\b(?:status|code|http(?:/[\d.]+)?|error|answered|returned|got|received|with|response|request)["']?(?: ?(?:code|status))*["']?[:=]?\s?["'(]?|\(|["']|: ?)(?:429|402)(?:\b[^\d.:]|$)|\b(?:429|402) (?:too many|payment|client error|rate|quota)`)
	// providerNumber are codes that are numbers (Zhipu's).
	providerNumber = lazy(`["']?code["']?\s?[:=]\s?["']?(?:1302|1303|1304|1308|1310|1113)\b`)
)

func (m *message) unavailable() bool {
	for _, p := range m.parts {
		if near(aModel, missing, p, 60) && !setting().MatchString(p) {
			return true
		}
	}
	return false
}

var (
	// setting is something of a model's call that is not supported.
	setting = lazy(`\b(?:outputs?|parameters?|values?|tools?|images?|vision|features?|function calling|functions?|arguments?|options?|thinking|reasoning[ ._]effort|temperature|max_tokens|streaming|system prompt|inputs?|files?|prisma|django|orm|sequelize|databases?|table|model user|weights|plugin|migration|filenotfounderror|programmingerror|app\.\w+|remote ref|\S+\.(?:bin|gguf|pt|safetensors)|module|path|property|role|schema|response_format|format|credentials|api key|x-api-key|authentication|session|task|user|branch|package|command|data model|view model|test|version)\b`)

	denial = lazy(`\bnot (?:being )?(?:rate[- ]limited|throttled|exceeded|reached|exhausted)|\bno rate limit|(?:is not|isn't|wasn't|not) (?:a |an |your |the )?(?:rate|usage|quota)\b|\bwithout (?:hitting|reaching|exceeding)|n't (?:exceed|reach|hit|run out)|\bwithin (?:your |the )?(?:limits?|quota)|\bdo(?:es)? not exceed|below the limit|\bno (?:\w+ ){0,2}(?:credits?|requests?|tokens?|quota) (?:were |was |are |is )?(?:consumed|used|charged|deducted|spent)\b`)
	isNear = lazy(`\b[1-9]\d?(?:\.\d+)? ?% (?:of|used|left|remaining)|used (?:about |over |more than )?[1-9]\d?(?:\.\d+)? ?%|\b[1-9]\d* (?:\w+ ){0,2}(?:left|remaining)\b`)
	noGo   = lazy(`message larger than|\bcredit balance is too low|\bpermissions? (?:denied|error)|permission_|\bunauthori[sz]ed|authenticat|invalid (?:api )?key|api key (?:is )?(?:invalid|not valid)|invalid bearer|token (?:has )?expired|invalid_request_error.{0,80}(?:prompt is too long|maximum context|context_length|image)|missing scopes?|violates \w+|duplicate key|already exists|insufficient (?:scopes?|permissions?|privileges)|sudo|eacces|\bssl\b|certificate`)
	broken = lazy(`\b(?:could not find a version|no matching (?:distribution|package)|econn\w+|etimedout|enotfound|enoent|eaddrinuse|eai_again|epipe|emfile|enospc|edquot|syntaxerror|typeerror|referenceerror|nameerror|attributeerror|importerror|modulenotfounderror|indentationerror|zerodivisionerror|indexerror|configerror|assertionerror|nullpointerexception|undefined|undeclared|panicked|thresholds on metrics|segmentation|stack overflow|unrecognized (?:key|option|argument)|unknown (?:option|flag|argument|command)|config(?:uration)? file|\.toml|\.ya?ml|must be [<>=]|expected|assert\w*|but got|but was|want \d|compile|linker|undefined:)\b|error ts\d|\w\.{6,}:|error\[e\d|\w\.(?:ts|tsx|js|mjs|py|go|rs|java|rb|cs|php|c|cpp|h)[:(]\d+`)
)

// foreign reports that the message is of something else: no call of a model
// failed, or a limit is denied, or only near.
func (m *message) foreign() bool {
	low := []byte(m.folded)
	return denial().MatchString(m.folded) || nearWords.in(low) || isNear().MatchString(m.folded) || noGo().MatchString(m.folded) && !m.resets() ||
		broken().MatchString(m.folded) || otherService().MatchString(m.folded) || elsewhere(m.folded) || outdated().MatchString(m.folded) || filtered().MatchString(m.folded) || talkWords.in(low) || !m.error && isTalk(low)
}

// resets reports a limit with its end, which no other error has: some clients
// call it a denial.
func (m *message) resets() bool {
	return stated(m.folded) && slices.ContainsFunc(m.parts, func(p string) bool { return near(named, gone, p, 70) }) &&
		slices.ContainsFunc(m.parts, when.in)
}

var (
	// ofProvider names a model, its provider, or the SDK that called it.
	ofProvider = lazy(`\b(?:llms?|litellm|openai|anthropic|claude|gemini|generativelanguage|aiplatform|vertexai|bedrock|azure ?openai|openrouter|groq|mistral|deepseek|moonshot|kimi|zhipu|dashscope|qwen|ollama|copilot|gpt-\w+|xai|grok|cerebras|together|fireworks|huggingface inference|chat/completions|embeddings|inference|model)\b|rate_limit_error|insufficient_quota`)
	// otherService is another service than a model's.
	otherService = lazy(`\b(?:pypi|pythonhosted|hf api|hf_token|npm (?:err|error|warn)|npmjs|yarnpkg|crates\.io|docker|ghcr|quay\.io|homebrew|brew|twitter|slack|discord|stripe|twilio|sendgrid|mailgun|notion|jira|confluence|sentry|figma|vercel|api-deployments|operation error (?:lambda|s3|ec2|iam|dynamodb|sqs|sns|ecs|eks|rds)|tweepy|snyk|netlify|heroku|shopify|salesforce|hubspot|zendesk|youtube|github(?:'s)? api|api\.github\.com|gh api|gitlab|bitbucket|maven|rubygems|nuget|packagist|let's encrypt|postgres\w*|mysql|mongodb?|redis|web ?search|webfetch|mcp|s3|gcs|dynamodb|ec2|cloudformation|terraform|kubectl|kubernetes|helm|ansible|compute-resources|smtp|imap|error from server|remote: |gs://|unable to access|requested url|web search|googleapi: error|githubexception|secondary rate limit|api rate limit exceeded for|search (?:is |was )?rate|duckduckgo|bing|brave|tavily|serp\w*|firecrawl|gcloud|compute\.googleapis|storage\.googleapis|bigquery|gmail|google drive|google sheets)\b`)
)
