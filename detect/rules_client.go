package detect

// clientRules know what single clients print and the grammar does not cover.
var clientRules = []rule{
	{
		name: "copilot-hit-limit", needs: "limit", client: "copilot", kind: notice, verdict: Limit,
		pattern: `{sorry}you've (?:hit|reached|exceeded) (?:the|your|a) (?:\w+ )?(?:rate|usage|spending) limit\b(?:{end}| for this)`,
		example: "You've hit the rate limit for this model. Please switch models or wait for your limit to reset in 30 minutes. Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: ABCD:1234:5678)",
	},
	{
		name: "copilot-retried", needs: "retried", client: "copilot", kind: notice, verdict: Limit,
		pattern: `(?:execution failed: )?failed to get response from the ai model; retried \d+ times? (?:\([^)]*\) ?)*last error: (?:capierror: )?(?:429\b|{subject} (?:is |was )?(?:reached|exceeded)|too many requests|402\b)`,
		example: "Failed to get response from the AI model; retried 5 times (total retry wait time: 10.96 seconds) Last error: 429 Rate limit reached for requests",
	},
	{
		name: "copilot-429", needs: "429", client: "copilot", strict: true, number: true, kind: notice, verdict: Limit,
		pattern: `(?:capierror: )?429 (?:[a-z"'{\[]|429)`,
		example: "429 Slow down, please",
	},
	{
		name: "copilot-402", needs: "402", client: "copilot", strict: true, kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:capierror: )?402 [a-z"'{\[]`,
		example: "402 You have exceeded your premium request allowance.",
	},
	{
		name: "copilot-payment", needs: "payment", client: "copilot", strict: true, kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `payment required(?: error)?(?:$|[.:])`,
		example: "Payment required",
	},
	{
		name: "copilot-premium", needs: "premium|credits|allowance|quota", client: "copilot", strict: true, kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `{sorry}you(?:'ve| have) (?:exceeded|used|exhausted|run out of|no) [^.]{0,60}(?:premium|ai credits|allowance|quota)`,
		example: "You have exceeded your premium request allowance.",
	},
	{
		name: "copilot-auto", needs: "rate limit", client: "copilot", kind: notice, verdict: Limit, retries: true,
		pattern: `(?:rate limit hit \([^)]*\)\. switch to|you've been rate limited on the current model)`,
		example: "Rate limit hit (claude-sonnet-4.6). Switch to the auto model?",
	},
	{
		name: "session-spend", needs: "session", kind: notice, verdict: Limit, scope: ScopeSession,
		pattern: `(?:session quota exceeded|you've reached the spending limit for this session)`,
		example: "session quota exceeded",
	},
	{
		name: "claude-limit", needs: "limit|usage", client: "claude", kind: notice, verdict: Limit, tree: true,
		pattern: `claude (?:ai )?usage limit reached`,
		example: "Claude AI usage limit reached|1796000000",
	},
	{
		name: "claude-rejected", needs: "429", client: "claude", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:api error: )?request rejected \(429\)`,
		example: "API Error: Request rejected (429) · Too much of it",
	},
	{
		name: "api-error-429", needs: "429", kind: notice, verdict: Limit, tree: true,
		pattern: `\[?(?:[\w-]+ ){0,4}(?:api|http|server|provider|upstream) error:? ?\(?429\b`,
		example: `  ⎿  API Error (429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}) · Retrying in 5 seconds… (attempt 3/10)`,
	},
	{
		name: "codex-usage", needs: "codex", client: "codex", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `to use codex with your chatgpt plan, upgrade`,
		example: "To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing.",
	},
	{
		name: "openai-quota", needs: "quota", kind: notice, verdict: Limit, scope: ScopeAccount, tree: true,
		pattern: `(?:you exceeded your current quota, please check your plan|quota exceeded\. check your plan)`,
		example: "Error: You exceeded your current quota, please check your plan and billing details.",
	},
	{
		name: "gemini-attempt", needs: "attempt", kind: notice, verdict: Limit, retries: true,
		pattern: `attempt \d+ failed with status 429`,
		example: "Attempt 1 failed with status 429. Retrying with backoff...",
	},
	{
		name: "gemini-daily", needs: "quota|capacity|daily", client: "gemini", kind: notice, verdict: Limit, tree: true,
		pattern: `(?:you have exhausted your daily quota on this model|you have reached your daily \S+ quota limit|you've hit your daily limit)`,
		example: "[API Error: You have exhausted your daily quota on this model.]",
	},
	{
		name: "capacity-on-model", needs: "capacity", kind: notice, verdict: Limit, scope: ScopeModel, tree: true,
		pattern: `you have exhausted your capacity on this model`,
		example: "You have exhausted your capacity on this model. Your quota will reset after 3h12m.",
	},
	{
		name: "cursor-computers", needs: "computers", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `too many computers used within`,
		example: "Too many computers used within the last 24 hours for the same Cursor account. Please try again later, use a different Cursor account, or contact us at hi@cursor.sh if you believe this is a mistake.",
	},
	{
		name: "amp-credits", needs: "credits|free", client: "amp", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `(?:out of credits|you(?:'ve| have|'re) (?:run|used up|out)[^.]{0,40}(?:credits|free usage)|(?:your )?amp free (?:is|usage)[^.]{0,30}(?:used up|exhausted|limit))`,
		example: "Error: Out of credits. Add credits at https://ampcode.com/settings to continue.",
	},
	{
		name: "high-frequency", needs: "high-frequency", kind: notice, verdict: Limit, scope: ScopeAccount,
		pattern: `detected high-frequency (?:non-compliant )?requests from you`,
		example: "Detected high-frequency non-compliant requests from you.",
	},
	{
		name: "proxy-invocations", needs: "invocations", kind: notice, verdict: Limit, scope: ScopeSession,
		pattern: `(?:429 )?maximum llm invocations exceeded`,
		example: "CAPIError: 429 Maximum LLM invocations exceeded (100/100)",
	},
	{
		name: "reload-tokens", needs: "tokens", kind: notice, verdict: Limit, scope: ScopeModel,
		pattern: `tokens per (?:minute|day) limit exceeded`,
		example: "Tokens per minute limit exceeded - too many tokens processed",
	},
}
