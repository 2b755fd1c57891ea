package detect

import (
	"bytes"
)

// This file knows texts that have the words of a limit and are none.

var (
	// nearLimit is a warning, or a footer, and no error.
	nearWords = phrases(`approaching|close to|nearing|near your|almost|about to|running low|running out of|will soon|will be hit|will hit|will reach|will exceed|will run out|may hit|may reach|may exceed`)
	nearCount = lazy(`\b(?:used (?:about |over |more than )?\d{1,3}(?:\.\d+)? ?%|\d{1,3}(?:\.\d+)? ?% (?:of|used|left|remaining)|\d+ (?:\w+ )?(?:requests |messages |credits )?(?:left|remaining))\b`)

	// talkWords are somebody talking about a limit.
	talkWords = phrases(`rate limiter|rate-limiter|ratelimiter|rate limiting to|rate limiting in|rate limiting middleware|retry logic|token bucket|backoff logic|back-off logic|unit test|unit tests|for example|such as a|such as the|should be|should return|should show|` +
		`is shown|is returned|is handled|is caught|is thrown|is printed|is raised|is documented|are handled|are caught|are retried|are now|on the staging|was the staging|which means|means that|whenever|if the api|if the server|if the client|if the user|the middleware|the readme|the snippet|the regex|the pattern|the parser|the limiter|the banner|the story`)
	talkOf  = lazy(`\bthe (?:function|code|tests?|handler|server|client|endpoint|docs?|error message|users?|app|script) \w+|\bwhen the \w+|\b(?:we|we've|let's|let me) (?:\w+ )?(?:add|fix|handle|implement|update|see|saw|found|think|check|change|use|wrote|made|will|now|should|need|want)(?:d|ed|ing)?\b`)
	aFile   = lazy("`[\\w./-]+\\.(?:json|ya?ml|md|toml|txt|html|tsx?|m?js|py|go|rs|java|rb|cs|php|sh)`")
	speaker = lazy(`\bi(?:'ve|'ll|'d)? (?:[a-z]{2,})\b`)

	// noCall is an error of a program or a test, and not of a call to a model.
	noCall  = phrases(`expected|expect|expects|assert|assertion|assertionerror|but got|but was|typeerror|syntaxerror|referenceerror|nameerror|attributeerror|importerror|test|tests|checks failed|check failed|undefined|cannot read|cannot find|no such|module|import|compile|build failed|lint`)
	ofCode  = lazy(`\b(?:prisma|schema|django|orm|sequelize|database|data model|view model|model user|weights|plugin|migration|filenotfounderror|programmingerror|app\.\w+|\S+\.(?:bin|gguf|pt|safetensors))\b`)
	mistake = lazy(`^(?:name|type|key|syntax|reference|attribute|import|assertion|config)error\b`)
	inFile  = lazy(`\b[\w/-]*(?:quota|limit|credit)[\w-]*\.(?:tsx?|m?js|py|go|rs|java|rb|cs|php|json|ya?ml|toml)|::|\bat \S+:\d+:\d+|\w\.(?:ts|tsx|js|mjs|py|go|rs|java|rb|cs|php):\d+`)

	// outdated is a client that its provider does not serve any more, and
	// filtered a prompt that it does not.
	outdated = lazy(`\b(?:update|upgrade) (?:\w+ )?to (?:the |a )?(?:latest|newer|new|recent) version|please update (?:to|your (?:client|version|cli|app|extension|editor|ide)|the (?:client|cli|app|extension))\b|(?:latest|newer) version of|(?:client|version) is (?:too old|outdated|no longer)|outdated (?:client|version)`)
	filtered = lazy(`content[ _](?:filter|management|policy)|safety (?:filter|system)|\bflagged\b`)

	// counts are numbers of something.
	counts = lazy(`\b(?:429|402|529) (?:[a-z-]+ )?(?:files?|tests?|specs?|errors|problems?|warnings?|packages?|lines?|items?|bytes|[kmg]b|rows?|records?|users?|insertions?|deletions?|commits?|issues?|modules?|tokens|ms|seconds?|reqs|passed|failed|skipped|of)\b`)

	// goesOn is a client that retries, or has changed the model, by itself.
	goesOn = phrases(`retrying|will retry|retry attempt|auto-retry|autoretry|waiting to retry|switching to|switched to|switched you to|automatically switched|falling back to|fallback to|continuing with|reconnecting... 1|reconnecting... 2|reconnecting... 3|reconnecting... 4|reconnecting... 5|failed with status 429. retrying`)
)

// talk says why a text that a rule recognizes is none all the same, or "".
func (t *text) talk(r *rule) string {
	low := t.bytes
	number := bytes.IndexByte(low, '9') >= 0 || bytes.IndexByte(low, '2') >= 0
	switch {
	case r.verdict == None, r.strict:
		return ""
	case r.verdict == Limit && nearLimit(low):
		return "a warning of a limit that is near"
	case r.verdict == Limit && r.client != "github" && otherLimits.in(low):
		return "a limit of something else than a model"
	case (r.kind == word || r.kind == code && r.anchor == atStart) && (noCall.in(low) || inFile().Match(low) || r.kind == word && broken().Match(low)):
		return "an error of a program or a test"
	case r.verdict == Limit && r.client != "github" && (r.kind == word || t.labels > 0) && otherService().MatchString(t.low[0][:len(t.low[0])-t.rest(r)]):
		return "another service's limit"
	case r.verdict == Limit && r.client != "github" && (elsewhere(t.low[0]) || r.kind == code && r.anchor == atStart && otherService().MatchString(t.low[0][:classLen(t.low[0])])):
		return "another service's limit"
	case r.verdict == Limit && outdated().Match(low):
		return "asks for a newer client"
	case r.kind == word && filtered().Match(low):
		return "another error"
	case r.verdict == Unavailable && r.kind == notice && ofCode().Match(low):
		return "a model of a program"
	case r.kind == code && mistake().Match(low):
		return "an error of a program or a test"
	case r.verdict == Limit && number && counts().Match(low):
		return "a count"
	case isTalk(low):
		return "prose"
	}
	return ""
}

// rest is how much of the end of a text may name other services: what stands
// behind its labels, unless words alone recognize it.
func (t *text) rest(r *rule) int {
	if r.kind == word {
		return 0
	}
	return len(t.low[t.labels])
}

func nearLimit(low []byte) bool {
	if bytes.Contains(low, []byte("limit reached")) {
		return false
	}
	counted := bytes.IndexByte(low, '%') >= 0 || bytes.Contains(low, []byte("left")) || bytes.Contains(low, []byte("remaining"))
	return nearWords.in(low) || counted && nearCount().Match(low)
}

func isTalk(low []byte) bool {
	return talkWords.in(low) || bytes.IndexByte(low, '`') >= 0 && aFile().Match(low) || bytes.Contains(low, []byte("the ")) && talkOf().Match(low) || bytes.Contains(low, []byte("we")) && talkOf().Match(low) ||
		(bytes.HasPrefix(low, []byte("i")) || bytes.Contains(low, []byte(" i"))) && speaker().Match(low)
}
