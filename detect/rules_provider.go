package detect

// failureRules know other errors: an error that is none of ours, after a
// notice, is what the run ended on.
var failureRules = []rule{
	{
		name: "server-error", needs: "50|52", kind: notice, verdict: None, tree: true,
		pattern: `(?:api error: )?5(?:00|02|03|04|20|22|24)\b (?:the server|service|internal|bad gateway|gateway|upstream|unavailable|\{"type":"error","error":\{"type":"api_error")`,
		example: "Execution failed: Failed to get response from the AI model; retried 5 times (total retry wait time: 15.02 seconds) Last error: 500 The server had an error",
	},
	{
		name: "status-other", needs: "status", kind: notice, verdict: None, tree: true,
		pattern: `(?:exceeded retry limit, )?(?:last |unexpected |http )?(?:http )?status(?: code)?:? (?:40[0-134-9]|41\d|42[0-8]|5\d\d)\b`,
		example: "ERROR: unexpected status 502 Bad Gateway: upstream connect error",
	},
	{
		name: "connection-lost", needs: "connection|econn|etimedout|enotfound|socket|fetch failed|network|native model", kind: notice, verdict: None,
		pattern: `(?:failed native model http request|.{0,80}\b(?:econnreset|econnrefused|etimedout|enotfound|connection (?:reset|refused|closed|error)|socket hang up|fetch failed|network error)\b)`,
		example: "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed native model HTTP request: error decoding response body: Connection reset by peer (os error 104) [ECONNRESET]",
	},
	{
		name: "not-authorized", needs: "auth|40|key|credentials|expired", kind: notice, verdict: None, tree: true,
		pattern: `(?:authorization error|authentication (?:failed|error)|40[13] (?:unauth|forbidden|authent|invalid|\{)|unauthorized\b|invalid (?:api key|x-api-key|authentication)|no authentication information|.{0,60}authentication_error|.{0,40}token has expired|your credentials)`,
		example: "Authorization error. Your credentials may be expired or invalid. Run /login to sign in again.",
	},
	{
		name: "bad-request", needs: "400|invalid_request", kind: notice, verdict: None,
		pattern: `400 (?:bad request|\{|invalid)|.{0,60}invalid_request_error`,
		example: "Execution failed: 400 bad request",
	},
	{
		name: "context-overflow", needs: "context|too long|too large|token", kind: notice, verdict: None, tree: true,
		pattern: `.{0,80}\b(?:context (?:window|length|limit)\b.{0,60}(?:exceed|overflow|full|too|reached|ran out|limit)|(?:exceed|ran out of|maximum|over).{0,60}\bcontext (?:window|length|limit)|context_length_exceeded|prompt is too long|(?:prompt|input|request) (?:tokens? count|token count|is too large|too large).{0,40})`,
		example: "Error: input length and `max_tokens` exceed context limit: 199999 + 8192 > 200000",
	},
	{
		name: "billing", needs: "credit balance", kind: notice, verdict: None,
		pattern: `(?:your )?credit balance is too low`,
		example: "Credit balance is too low",
	},
}

// githubRules know the limits of GitHub's API, which no other model changes.
// They count for a run that failed on one.
var githubRules = []rule{
	{
		name: "github-api", needs: "rate limit|rate-limit|githubexception", client: "github", kind: word, verdict: Limit, scope: ScopeAccount, anchor: anywhere,
		pattern: `\bapi rate limit (?:already )?exceeded\b|exceeded a secondary rate limit|github is rate limiting|github (?:code search|search|api)(?: is)? rate[ -]limit|rate limit exceeded for (?:installation|user) id|githubexception|graphql: .*rate limit`,
		example: "GraphQL: API rate limit exceeded for installation ID 000000000.",
	},
}

// overloadRules know a provider without capacity.
var overloadRules = []rule{
	{
		name: "overloaded-error", needs: "overload|capacity_exhausted", kind: code, verdict: Overloaded, scope: ScopeModel, anchor: anywhere, tree: true,
		pattern: `["'(\s]overloaded_error\b|^[^:]{0,40}\boverloadederror\b|\bmodel_capacity_exhausted\b|\bengine_overloaded(?:_error)?\b|\bmodel_overloaded\b`,
		example: `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
	},
	{
		name: "overloaded", needs: "overload|busy", kind: notice, verdict: Overloaded, scope: ScopeModel, tree: true,
		pattern: `(?:(?:http )?(?:529|503|429)\b[ :({-]*)*(?:the |this |our |repeated 529 )*(?:(?:model|api|llm) )?(?:api|model|engine|server|service|anthropic(?:'s)?(?: api)?|openai|provider|claude|system|upstream|gemini)?s?(?: [\w./-]{1,40})?(?: is| are|'s)?(?: currently| temporarily)? ?(?:overloaded(?: errors?| right now| now)?{end}|busy right now)`,
		example: "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check https://status.claude.com.",
	},
	{
		name: "http-529", needs: "529", kind: notice, verdict: Overloaded, scope: ScopeModel, tree: true,
		pattern: `(?:http |status(?: code)?:? |error code:? )?\(?529\b[) :{-]`,
		example: "Error: 529 status code (no body)",
	},
	{
		name: "high-demand", needs: "demand|load|traffic", kind: notice, verdict: Overloaded, scope: ScopeModel, tree: true,
		pattern: `(?:[^.]{0,80}\b)?(?:experiencing|seeing|due to|because of) (?:very |unusually |extremely |exceptionally )?(?:high|heavy|increased|unprecedented) (?:demand|load|traffic)`,
		example: "ERROR: We’re currently experiencing high demand, which may cause temporary errors.",
	},
	{
		name: "at-capacity", needs: "capacity", kind: notice, verdict: Overloaded, scope: ScopeModel, tree: true,
		pattern: `(?:[^.]{0,60}\b)?(?:(?:is|are|currently) at (?:full |max(?:imum)? )?capacity|no capacity (?:is )?available|(?:insufficient|not enough|out of|limited) capacity|capacity constraints)`,
		example: "Error: Selected model is at capacity. Please try a different model.",
	},
	{
		name: "server-limits-requests", needs: "limiting", client: "claude", kind: notice, verdict: Overloaded, scope: ScopeModel, tree: true,
		pattern: `server is temporarily limiting requests`,
		example: "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
	},
}

// unavailableRules know a model name that is not offered.
var unavailableRules = []rule{
	{
		name: "model-flag", needs: "model", client: "copilot", kind: notice, verdict: Unavailable, scope: ScopeModel,
		pattern: `model .{1,80} from .{1,40} is not available`,
		example: `Error: Model "claude-sonnet-4.5" from --model flag is not available.`,
	},
	{
		name: "model-not-found", needs: "model", kind: notice, verdict: Unavailable, scope: ScopeModel, tree: true,
		pattern: `(?:40[034] )?(?:the |this |requested |selected |specified |unknown |your |['"` + "`" + `]?[\w./:@-]{2,60}['"` + "`" + `]? )*models?[:/]? ?['"` + "`" + `]?[\w./:@\[\]-]{0,80}['"` + "`" + `]?,? ?(?:\([^)]{0,80}\) )?(?:was |is |were |could |does |do |has |has been |been )*(?:not (?:be )?(?:found|available|supported|enabled|exist|offered|accessible|recogni[sz]ed|a valid)|unavailable\b|unsupported|deprecated|retired|decommissioned|discontinued|disabled|invalid(?:$|[.,:;!)])|no longer (?:available|supported|offered))`,
		example: "Model 'm404' not found on provider at http://127.0.0.1:18080/v1 (HTTP 404).",
	},
	{
		name: "unknown-model", needs: "model|endpoints|provider", kind: notice, verdict: Unavailable, scope: ScopeModel,
		pattern: `(?:cannot use this model|can't use (?:this )?model|not found the model|no (?:endpoints|providers?) (?:found|available) for|(?:unknown|unsupported|invalid|unrecognized|no such|unavailable) model(?: name| id| identifier)?s?\b(?:$|[ :'"` + "`" + `.,(]))`,
		example: "Error: Unknown model: gpt-9",
	},
	{
		name: "selected-model", needs: "selected model", client: "claude", kind: notice, verdict: Unavailable, scope: ScopeModel,
		pattern: `there's an issue with the selected model`,
		example: "There's an issue with the selected model (m404). It may not exist or you may not have access to it. Run --model to pick a different model.",
	},
	{
		name: "no-access-to-model", needs: "access", kind: notice, verdict: Unavailable, scope: ScopeModel, tree: true,
		pattern: `(?:you|your (?:account|organi[sz]ation|plan|team|project)|project) [^.]{0,40}(?:do(?:es)? not|don't|doesn't|no) (?:currently )?have access to (?:the |this )?(?:\S+ )?model|(?:40[034] )?you don't have access to the model`,
		example: "Error: Your organization does not have access to model claude-opus-4",
	},
	{
		name: "model-code", needs: "model|deployment|not_found", kind: code, verdict: Unavailable, scope: ScopeModel, anchor: anywhere, tree: true,
		pattern: `\b(?:model_not_found|model_not_supported|model_not_available|model_not_enabled|deploymentnotfound|providermodelnotfounderror|modelnotfounderror|model_deprecated|model_decommissioned|unsupported_model|model_not_supported_error)\b|"not_found_error","message":"model:`,
		example: `API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`,
	},
}

// codeRules know the typed codes of providers, in the error they belong to.
var codeRules = []rule{
	{
		name: "github-code", needs: "_limited|_exceeded|_reached|quota|rate_limited", kind: code, verdict: Limit, anchor: anywhere, tree: true,
		pattern: `(?:^|["'(\[ ])(?:user_(?:model|global|weekly|session|daily|monthly)_rate_limited|integration_rate_limited|model_rate_limited|agent_mode_limit_exceeded|(?:session_)?quota_exceeded|additional_spend_limit_reached|billing_not_configured_quota)(?:$|["')\]:,.;\\ ])|["']code\\?["']:\s?\\?["']rate_limited\b|error code: rate_limited\b`,
		example: `402 {"error":{"message":"You have no quota","code":"quota_exceeded"}}`,
	},
	{
		name: "provider-code", needs: "limit|quota|exhausted|throttl|too_many|usage_|credits|budget|max_runs", kind: code, verdict: Limit, anchor: anywhere, tree: true,
		pattern: `(?:^|["'(\[ ])(?:rate_limit_error|rate_limit_exceeded|rate_limit_reached_error|rate_limit_reached|exceeded_current_quota_error|insufficient_quota|resource_exhausted|throttlingexception|throttling_error|too_many_requests|tokens_per_minute_limit|usage_limit_reached|usage_limit_exceeded|usage_not_included|billing_hard_limit_reached|max_runs_exceeded|spend_limit_exceeded|budget_exceeded|insufficient_credits|gousagelimiterror|freeusagelimiterror|terminalquotaerror|retryablequotaerror)(?:$|["')\]:,.;\\ ])`,
		example: `Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`,
	},
	{
		name: "error-class", needs: "limit|requests|exhausted|quota|budget|throttl", kind: code, verdict: Limit, tree: true,
		pattern: `(?:[\w '-]{0,40}: )?(?:\w+\.)*(?:ratelimit(?:ed|exceeded|reached)?|toomanyrequests|resourceexhausted|quotaexceeded|budgetexceeded|usagelimit(?:exceeded|reached)?|insufficientquota|throttling)(?:error|exception)?(?::|\b.{0,3}-)`,
		example: "litellm.RateLimitError: AnthropicException - rate limited",
	},
}
