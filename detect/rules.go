package detect

import "slices"

// An evidence is how strong a rule's word is, strongest first.
type evidence int

const (
	structured evidence = iota + 1 // an event on a JSON stream or in the client's log
	code                           // a typed code in an error
	notice                         // a known notice, whole, at the start of a line
	word                           // the template's words in an error-shaped line
	exit                           // the exit status alone
)

var evidenceNames = [...]string{structured: "structured", code: "code", notice: "notice", word: "word", exit: "exit"}

func (e evidence) String() string { return evidenceNames[e] }

// An anchor says where in a line a pattern must stand.
type anchor int

const (
	atStart     anchor = iota // at the start, or after the labels of an error
	behindLabel               // right behind the label of an error
	afterLabel                // anywhere behind the label of an error
	anywhere                  // anywhere: only for what nothing else looks like
)

// A rule is one known shape of an error. Patterns are RE2 over lower-case text
// with its rows joined; names in braces stand for the phrases of grammar.go.
type rule struct {
	name    string
	client  string // base name of the only client that it is for, "" = any
	kind    evidence
	verdict Kind
	scope   Scope // "" = read it from the text
	anchor  anchor
	needs   string // one of these stands in the text, or the pattern is not tried; separated by |
	pattern string
	retries bool   // the client goes on by itself: a limit only if it then fails
	tree    bool   // also behind the mark of a tool's result
	strict  bool   // only for its client: too loose for any other
	number  bool   // hardly more than a status: it counts only when the run failed
	example string // as a real client printed it
}

// rules are looked at in this order; the first that matches speaks for a line.
var rules = slices.Concat(eventRules, githubRules, overloadRules, unavailableRules, clientRules, codeRules, noticeRules, localRules, failureRules, wordRules, readRules)

// noticeRules know the grammar of a limit, whoever prints it.
var noticeRules = []rule{
	{
		name: "you-hit-limit", kind: notice, verdict: Limit, tree: true,
		pattern: `{sorry}{you} {adv}{used} {subject}{end}`,
		example: "You've hit your session limit · resets 4:20am (Europe/Warsaw)",
	},
	{
		name: "you-are-limited", needs: "limited|throttled", kind: notice, verdict: Limit,
		pattern: `{sorry}(?:{you}|{thing}(?: was| were| is| are| has been| have been)) {adv}(?:been |being )?{adv}(?:rate[ -]?limited|throttled){end}`,
		example: "Sorry, your request was rate-limited. Please wait and try sending again later.",
	},
	{
		name: "provider-limits-you", needs: "limit|throttl", kind: notice, verdict: Limit,
		pattern: `(?:the |your )?(?:api |model |llm )?(?:provider|server|service|api|backend) (?:has |is )?(?:rate[ -]?limited|rate[ -]?limiting|throttled|throttling) (?:you|this|your|us|the request)`,
		example: "The API provider has rate limited you. Try again later or check your quotas.",
	},
	{
		name: "limit-reached", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:the |your |this )?{subject}(?:(?: has| have)?(?: been)? {adv}(?:hit|reached|exceeded|exhausted|used up|depleted|surpassed|spent){end}|(?: was| were| is| are) {adv}(?:hit|reached|exceeded|exhausted|used up|depleted|surpassed|spent|over){stop})`,
		example: "Opus weekly limit reached ∙ resets Oct 31, 9am",
	},
	{
		name: "would-exceed", kind: notice, verdict: Limit, tree: true,
		pattern: `{sorry}{thing}(?:(?: would| will| has| have)?(?: exceeds?| exceeded| reached| hit| surpass(?:ed)?| exhausted)| is over) {subject}{end}`,
		example: "Error: This request would exceed your account's rate limit. Please try again later.",
	},
	{
		name: "number-has-exceeded", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:the |your )?(?:number|rate|amount) of .{1,60} (?:has |have |would )?exceed(?:s|ed)? {subject}`,
		example: "Number of request tokens has exceeded your per-minute rate limit (https://docs.anthropic.com/en/api/rate-limits)",
	},
	{
		name: "too-many-requests", needs: "too many", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:sent |sending )?too many (?:concurrent |api |input |output |premium )?(?:requests|tokens|messages|prompts|connections)(?: per (?:minute|hour|day|second|week))?{end}`,
		example: "Too many tokens per day, please wait before trying again.",
	},
	{
		name: "rate-limited", needs: "limited", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:temporarily |currently )?rate[ -]limited(?: by [^.]{1,40})?{end}`,
		example: "Error: Rate limited. Please try again in 20s.",
	},
	{
		name: "none-left", needs: "quota|credits|requests", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `{sorry}(?:you have |you've |there (?:is|are) )?(?:no|zero|insufficient|not enough) (?:remaining |more |available |included |premium |ai |api )*(?:quota|credits|premium requests|requests)(?: (?:remaining|left|available))?(?: for | to |{end})`,
		example: "No remaining quota for premium requests",
	},
	{
		name: "please-wait-limit", kind: notice, verdict: Limit,
		pattern: `(?:please )?(?:wait|slow down|try again)[^.]{0,60}[.,;] ?(?:you've|you have|{thing})[^.]{0,30} {used} {subject}`,
		example: "Please try again later. You've reached your usage limit.",
	},
	{
		name: "resource-exhausted", needs: "exhausted", kind: notice, verdict: Limit, scope: ScopeAccount, tree: true,
		pattern: `(?:the )?resource (?:has been )?exhausted(?: \(e\.?g\.? check quota\))?{end}`,
		example: "[API Error: Resource has been exhausted (e.g. check quota).]",
	},
	{
		name: "status-429", needs: "429", kind: notice, verdict: Limit, tree: true, number: true,
		pattern: `(?:(?:http (?:error |status )?|status(?: code)?:? |error code:? |code:? )\(?429\b\)?(?: 429)?(?::| -| ·)? *(?:too many requests{end}|status code \(no body\)|$|[\[{"'])|\(?429\b\)?(?: 429)?(?::| -| ·)? *(?:too many requests{end}|status code \(no body\)|[\[{"']))`,
		example: "HTTP 429 Too Many Requests",
	},
	{
		name: "error-is-429", needs: "429", kind: notice, verdict: Limit, tree: true, number: true, anchor: behindLabel,
		pattern: `\(?429\b\)?(?: 429)?[:.]?$`,
		example: "Failed to get response from the AI model; retried 5 times (total retry wait time: 55.21 seconds) Last error: 429",
	},
	{
		name: "status-402", needs: "402", kind: notice, verdict: Limit, scope: ScopeAccount, anchor: behindLabel,
		pattern: `(?:http (?:error |status )?|status(?: code)?:? |error code:? )?\(?402\b\)?(?::| -| ·)? *(?:[\[{"']|[^.]{0,60}?(?:{subject}|quota|no credits|spend|premium request))`,
		example: "Error: 402 Raise your spend limit",
	},
	{
		name: "error-429", needs: "429", kind: notice, verdict: Limit, anchor: behindLabel,
		pattern: `\(?429\b[) :{-]`,
		example: "Error: 429 Sorry, slow down",
	},
	{
		name: "last-status-429", needs: "429", kind: notice, verdict: Limit, number: true,
		pattern: `(?:exceeded retry limit, )?(?:last |unexpected )?(?:http )?status(?: code)?:? 429\b`,
		example: "ERROR: exceeded retry limit, last status: 429 Too Many Requests, request id: 00000000-0000-0000-0000-000000000000",
	},
}

// localRules know notices that are printed in the language of the user.
var localRules = []rule{
	{
		name: "limit-pt", needs: "limite|cota", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:você|voce) (?:atingiu|excedeu|esgotou|ultrapassou) (?:o|a|seu|sua) (?:seu |sua )?(?:limite|cota)(?: de [\wáéíóúãõç]+)?(?:[.!,(]| d[oae] |$)`,
		example: "Você atingiu o limite de mensagens do Codex",
	},
	{
		name: "limit-es", needs: "límite|limite|cuota", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:has|ha|usted ha) (?:alcanzado|superado|excedido|agotado) (?:el|la|tu|su) (?:límite|limite|cuota)(?: de [\wáéíóú]+)?(?:[.!,(]| del? |$)`,
		example: "Has alcanzado tu límite de uso. Inténtalo de nuevo más tarde.",
	},
	{
		name: "limit-fr", needs: "limite|quota", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:vous avez|tu as) (?:atteint|dépassé|épuisé) (?:la|le|votre|ta|ton) (?:limite|quota)(?: (?:de |d')[\wéèêà]+)?(?:[.!,(]| de | du |$)`,
		example: "Vous avez atteint votre limite d'utilisation.",
	},
	{
		name: "limit-de", needs: "limit|kontingent", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:sie haben|du hast) (?:ihr|dein|das|die) [\w-]*(?:limit|kontingent)\w* (?:erreicht|überschritten|aufgebraucht|ausgeschöpft)`,
		example: "Du hast dein Nutzungslimit erreicht.",
	},
	{
		name: "limit-asian", needs: "限|额|額|한도", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:您?已(?:达到|超出|用完|達到)[^，。]{0,16}(?:上限|限额|限制|额度|額度)|[^。、]{0,20}(?:使用制限|利用制限|利用上限|使用上限|使用量の上限|利用量の上限|レート制限)に(?:達しました|到達しました|達しています)|[^.]{0,20}한도(?:에 도달|를 초과)(?:했|하였|함|됨|되었))`,
		example: "您已达到使用上限，请稍后再试。",
	},
}

// wordRules are the template's: only in an error, of a run that failed.
var wordRules = []rule{
	{
		name: "word-rate-limit", needs: "rate", kind: word, verdict: Limit, anchor: afterLabel,
		pattern: `(?:^|[^-\w./])rate[ -]?limit(?:ed|s|ing)?(?:$|[^-\w=/])`,
		example: "Error: upstream answered with a rate limit",
	},
	{
		name: "word-429", needs: "429", kind: word, verdict: Limit, anchor: afterLabel,
		pattern: `(?:\b(?:status|code|http|error|answered|returned|got|received|with|last error)(?: code| status)?[:=]? ?\(?|\()429\b\)?(?:[^\d.:]|$)`,
		example: "Error: request failed with status code 429",
	},
	{
		name: "word-quota", needs: "quota", kind: word, verdict: Limit, scope: ScopeAccount, anchor: afterLabel,
		pattern: `\b(?:quota\b.{0,40}\b(?:exceed|exhaust|reached|used up)|(?:exceed|exhaust|reached|insufficient|out of|over)\w*\b.{0,40}\bquota)`,
		example: "Error: the provider said that the monthly quota was exceeded",
	},
	{
		name: "word-too-many", needs: "too many", kind: word, verdict: Limit, anchor: afterLabel,
		pattern: `\btoo many requests\b`,
		example: "Error: the call of the model was answered with Too Many Requests",
	},
}
