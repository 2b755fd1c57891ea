package detect

import (
	"strings"
)

var (
	limitOfModel = parts("this model|model's rate|model_rate_limited|opus limit|sonnet limit|haiku limit|opus weekly|sonnet weekly|haiku weekly|capacity on this model|requests with gemini|permodel|per_model|per_base_model|base model|quota metric|diesem modell|ce modèle|este modelo|questo modello|dit model|tego modelu|bu model|этой модели|цієї моделі|このモデル|이 모델|该模型|此模型|model allowance")
	limitOfNamed = lazy(`\b(?:limit|quota|reached|exceeded|exhausted|hit|crossed)\S* (?:for|on|in) (?:the )?(?:model\b|['"` + "`" + `]?(?:gpt|claude|gemini|o\d|kimi|grok|llama|mistral|qwen|deepseek|opus|sonnet|haiku)[\w.-]*)|model: ?(?:gemini|gpt|claude)-|\b(?:requests?|messages?|tokens?|left|allowance|allotment|minutes|prompts?)\b[^.]{0,20} (?:for|to|with|on) (?:the )?(?:claude|opus|sonnet|haiku|gpt-|gemini|grok-|kimi|deepseek|glm|qwen|mistral)|\bno (?:opus|sonnet|haiku|gpt\S*|gemini\S*) \w+ left`)
	limitOfWeek  = parts("weekly|7-day|per week|week limit|semanal|wochen|wöchentlich|hebdomad|settimanal|wekelijks|tygodniow|haftalık|недельн|тижнев|週間|주간|每周|每週|周限|周额")
	limitOfTurn  = parts("session|5-hour|5 hour|five-hour|five hour|5h limit|5h usage|sitzung|sesión|sesji|sessão|sessione|oturum|сесси|сесії|セッション|세션|会话|5 小时|5小时|5時間|5시간")
	limitOfAll   = parts("global|account|organization|organisation|monthly|daily|per day|quota|credits|credit limit|premium|spend|billing|budget|usage|plan|subscription|workspace|team")
	modelQuota   = parts("permodel|per_model|per_base_model|model: gemini-|model: gpt-|model: claude-")
)

// scopeOf reads from a text what a limit covers: from its first sentence, which
// names the limit, before the rest, which gives advice.
func scopeOf(low string, def Scope) (Scope, bool) {
	if modelQuota.in([]byte(low)) {
		return ScopeModel, true
	}
	first, _, _ := strings.Cut(low, ". ")
	for _, s := range []string{first, low} {
		b := []byte(s)
		switch {
		case limitOfModel.in(b), strings.ContainsAny(s, " ") && limitOfNamed().MatchString(s):
			return ScopeModel, true
		case limitOfWeek.in(b):
			return ScopeWeekly, true
		case limitOfTurn.in(b):
			return ScopeSession, true
		case limitOfAll.in(b):
			return ScopeAccount, true
		}
	}
	if def == "" {
		def = ScopeUnknown
	}
	return def, false
}
