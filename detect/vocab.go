package detect

import (
	"regexp"
	"strings"
	"sync"
)

// A class is a kind of words that matter in an error. Words are looked for in
// folded text: lower case, without accents.
type class int

const (
	named    class = iota // names a limit of a model by itself
	bare                  // a limit of anything
	what                  // what such a limit is of
	counted               // what is counted, or paid for
	gone                  // what happened to it
	throttle              // says by itself that there was too much
	hurry                 // says so of anything
	when                  // says that it will be over
	advice                // says what helps
	overload              // a provider without capacity
	aModel                // a model
	missing               // what is said of a model that is not offered
	classes
)

// words are the classes' words as patterns. Those of a Latin script must begin
// at the start of a word, and a ~ stands for the rest of one.
var words = [classes]struct{ latin, other string }{
	named: {
		latin: `rate[- ]?limit(?:s|ed|ing)?|usage[- ]limits?|quotas?|allowances?|allotments?|allocations?|allocated|entitlements?|credits?|premium requests?|fast requests?|(?:concurrent|parallel) (?:requests?|sessions?|calls?|connections?|tasks?)|tier capacity|(?:insufficient|not enough) (?:account )?(?:balance|funds)|free usage|extra usage|fair[- ]use|(?:daily|weekly|monthly|free|usage) grants?|` +
			`(?:session|weekly|daily|monthly|hourly|spend(?:ing)?|spend management|concurrency|plan|subscription|free[- ]tier|free[- ]plan|\d+[- ]?h(?:ou)?rs?|\d+[- ]?days?|five[- ]hour|seven[- ]day|request|message|prompt|usage|billing|account|tokens?[- ]per[- ](?:minute|day|hour))[- ](?:and \w+[- ])?(?:limits?|caps?|budgets?|ceilings?|windows?|maximum|threshold)|` +
			`[tr]p[mdhs]|it?pm|otpm|(?:requests?|tokens?|messages?|prompts?)[- ]per[- ](?:minute|day|hour|second|week|month)|` +
			`\w*kontingent~|guthaben|\w{3,}limits?|anfragelimit~|plafond|forfait|cuota|cota|saldo|creditos?|crediti|\w*limiet~|tegoed|srodki|kredyt~|kota~|kredi~|kullanim sinir~`,
		other: `лимит|квот|кредит|баланс|ліміт|使用制限|利用制限|利用上限|レート制限|制限|上限|クォータ|クレジット|残高|한도|할당량|크레딧|쿼터|限额|限額|额度|額度|配额|配額|上限|限流|速率|枠|余额|餘額|积分|用量`,
	},
	bare: {
		latin: `limits?|caps?|ceilings?|budgets?|budgeted|balance|thresholds?|windows?|maximum|usage|spend|spending|limite~?|sinir~`,
		other: `ограничен|обмежен|制限|제한|限制`,
	},
	what: {
		latin: `rates?|usage|requests?|tokens?|messages?|prompts?|sessions?|daily|weekly|monthly|hourly|yearly|annual|per (?:minute|hour|day|week|month)|\d+[- ]?(?:hours?|hr|h|days?|d|minutes?|min|weeks?)|plan|tier|trial|account|spend|spending|billing|premium|model~?|api|subscription|organi[sz]ation~?|team|workspace|project|user|key|concurren~|inference|completions?|generations?|your|today~?|pro|max|free|llm|ai|gpt~|claude~|gemini~|opus|sonnet|haiku|` +
			`anfragen?|nutzung~|sitzung~|tages~|wochen~|monats~|requetes?|utilisation|session|jour~|semanal~|sesion~|uso|solicitudes|peticiones|diari~|mensual~|mensal~|requisic~|solicitac~|utilizzo|richieste|settiman~|giornalier~|gebruik~|verzoek~|dagelijks~|wekelijks~|sesji|zapytan|zadan|dzien~|tygodni~|uzyci~|kullanim~|istek~|gunluk~|haftalik~|oturum~`,
		other: `запрос|использ|сесс|недел|днев|сут|запит|використ|сесі|тижн|ден|リクエスト|利用|使用|セッション|요청|사용|세션|请求|請求|使用|调用|会话`,
	},
	counted: {
		latin: `requests?|messages?|tokens?|prompts?|generations?|completions?|calls?|invocations?|points?|units?|interactions?|minutes|usage|plan|trial|tier|queries|bucket|pool|turns|sessions?|throughput|rate|subscription|access|balance|funds|quota|credits?|actions?|tasks?|compute|window|slots?|attempts?|` +
			`anfragen|nachrichten|requetes|messages|jetons|solicitudes|mensajes|peticiones|solicitacoes|mensagens|requisicoes|richieste|messaggi|verzoeken|berichten|zapytan|wiadomosci|istek~|mesaj~`,
		other: `запрос|сообщен|токен|запит|повідомл|リクエスト|メッセージ|トークン|요청|메시지|토큰|请求|消息|次数|請求`,
	},
	gone: {
		latin: `reached|reaches|hit|hits|exceed~|exhaust~|finished|crossed|used up|uses up|use up|used (?:its|their|all)|used the whole|used your|(?:have|has|had)(?: already)? used|all used|spent|deplet~|consumed|ran out|run out|r[au]n dry|runs out|out of|over (?:your|the|its|their|quota|limit|budget|cap|plan)|(?:is|are|be|was|went|gone|goes|now) over|none left|no \w+(?: \w+){0,4} (?:left|available|remain~)|overdue|(?:is|are) (?:finished|empty|dry)|no more|no remaining|no available|not? .{0,20}remaining|0 \w* ?(?:remaining|left)|zero (?:\w+ )?(?:credits?|quota|balance)|maxed(?: out)?|(?:is|are|at|now|window|quota) full|gone|surpass~|insufficient|not enough|too low|(?:only|cannot|can't|can not) afford|requires more|capped|drawn down|burne?[dt] through|eaten up|blown through|drained|beyond (?:your|the|its)|past (?:your|the|its)|overrun|overdrawn|breached|tripped|used \S+ of (?:its |your |the |their )?\S+|tapped out|in use|doesn't have any|have no|has no|you're out|` +
			`erreicht|uberschritten|uberschreitet|ausgeschopft|aufgebraucht|erschopft|verbraucht|atteinte?s?|depasse~|epuise~|consomme~|alcanzad~|alcanzaste|superad~|superaste|excedi~|agot~|acab~|se termin~|termino|atingi~|esgot~|ultrapass~|raggiunt~|superat~|esaurit~|bereikt|overschreden|opgebruikt|verbruikt|osiagn~|przekrocz~|wyczerp~|wykorzyst~|ulasil~|ulastin~|asil~|astin~|doldu|tuken~|bitti`,
		other: `превышен|превысил|исчерпа|достиг|закончил|израсходован|перевищ|вичерпан|досяг|закінчи|達し|到達|超過|超え|使い切|枯渇|不足|使い果た|초과|도달|소진|부족|모두 사용|已达|已達|达到|達到|超出|超过|超過|用完|用尽|用盡|耗尽|耗盡|不足|已满|触发|觸發|受限`,
	},
	throttle: {
		latin: `durch die (?:rate|frequenz) begrenzt|ratenbegrenzt|limite[ea]s? en debit|limitad[ao]s? (?:por|en) (?:la )?(?:frecuencia|velocidad|tasa|taxa)|limitat[ao] (?:in base alla|per) (?:frequenza|velocita)|rate[- ]?limit(?:ed|ing)|throttl~|(?:restrict|limit)(?:ed|ing) how (?:often|much|many)|too many (?:\w+ ){0,3}(?:requests?|tokens?|messages?|prompts?|calls?|sessions?|connections?|invocations?)|slow(?:ed)? you down|requests? (?:is |are |was |were )?(?:being )?(?:too frequent|too fast)|(?:sending|making) (?:\w+ )?(?:requests|messages|prompts) too (?:fast|quickly|often|frequently)|request(?:s| rate| frequency| volume)? (?:is )?too (?:high|fast|frequent|many)|gedrosselt|zu viele (?:\w+ )?(?:anfragen|anforderungen|nachrichten|tokens)|zu viele gleichzeitige|trop de (?:requetes|demandes|messages|jetons|tokens)|demasiadas (?:solicitudes|peticiones)|demasiados (?:mensajes|tokens)|muitas (?:solicitacoes|requisicoes|mensagens)|excesso de requisicoes|troppe richieste|te veel (?:verzoeken|aanvragen|berichten)|zbyt wiele (?:zadan|zapytan|wiadomosci)|zbyt duzo (?:zadan|zapytan)|cok fazla (?:istek|mesaj)`,
		other: `受.{0,3}速率限制|速率受限|レート制限され|속도가 제한|요청이 제한|ограничен\S* по (?:скорости|частоте)|слишком много (?:запросов|сообщений)|слишком част|забагато запитів|занадто багато запитів|надто багато запитів|リクエストが多すぎ|リクエスト過多|リクエスト数が多|요청이 너무 많|너무 많은 요청|请求过于频繁|请求过多|请求太多|请求太频繁|請求過於頻繁|過於頻繁|过于频繁|频率过高|太频繁|并发数?过高|并发数?过多|调用频率`,
	},
	hurry: {
		latin: `slow(?:ing)? down|too fast|too quickly|too often|too frequent~|too many|too much|going fast|cool[- ]?(?:down|ing|off)|back off|ease off|take a (?:break|breather)|high[- ]frequency|excessive|limited|limiting|paused|blocked|suspended|locked out|on hold`,
		other: `限流|制限されて|제한되|受限`,
	},
	when: {
		latin: `again|before \d|before (?:mon|tues|wednes|thurs|fri|satur|sun)day|retry|resets?|resetting|renew~|refresh~|refill~|replenish~|restor~|until|till|unlocks?|reopen~|resumes?|come back|check back|is back|are back|back (?:in|at|on)|return (?:in|at|on|after)|available (?:in|at|on|from|after)|next (?:billing |usage |calendar )?(?:cycle|month|week|day|hour|window|period)|cycle ends|period ends|this (?:billing )?(?:cycle|month|week|period)|today|tomorrow|midnight|later|regain~|wait~?|for now|at the moment|for the (?:day|week|month)|in \d+ ?(?:s|m|h|d|min|sec|hour|day)~|starts? over|rolls over|lifts|lifted|expires|` +
			`erneut|zuruckgesetzt|zurucksetz~|wieder|spater|reessaye~|reinitialis~|renouvel~|plus tard|intenta~|intente~|restablec~|renuev~|mas tarde|tente novamente|tente de novo|redefin~|renova~|mais tarde|riprova~|reimposta~|azzera~|piu tardi|opnieuw|hersteld|ponownie|ponow|odnowi~|sprobuj|pozniej|tekrar|sifirlan~|yenilen~|daha sonra`,
		other: `повтор|сброс|обнов|позже|спробуйте|скид|віднов|пізніше|再試行|リセット|再開|後に|もう一度|다시|재설정|초기화|나중에|重试|重試|重置|稍后|稍後|恢复|恢復|刷新|再试|再試|后再|後再|明天|明日|내일|завтра|再来`,
	},
	advice: {
		latin: `(?:update|change) your (?:plan|account|subscription)|upgrad~|(?:add|buy|purchase|get|enable|request|need) (?:\w+ ){0,3}(?:credits?|funds|tokens|usage|quota|capacity|requests|overages?|balance|limits?)|top[- ]?(?:up|ping up)|recharg~|billing|pricing|raise|increase|higher (?:\w+ )?(?:limit|plan|tier|quota)|(?:switch|change|choose|pick|try|use|select) (?:\w+ ){0,3}(?:model|models|plan|tier|sonnet|haiku|opus|auto)|(?:another|different|other|smaller|cheaper) models?|--model|/model|overages?|subscribe~|pay[- ]as[- ]you[- ]go|usage[- ]based|contact (?:your|sales|support|an?) |your admin~|payment|spend limit|/upgrade|/usage|modell wechsel~|changez de modele|autre modele|cambia de modelo|otro modelo|outro modelo|altro modello|ander model|inny model|baska (?:bir )?model`,
		other: `другую модель|іншу модель|別のモデル|다른 모델|其他模型|充值|升级|升級`,
	},
	overload: {
		latin: `overload~|too busy|over[- ]?capacity|at (?:full |max~ )?capacity|(?:no|insufficient|not enough|out of|limited|lack of|low on) (?:\w+ ){0,2}capacity|capacity (?:constraints?|limits?|exhausted|exceeded|unavailable|is unavailable)|(?:high|heavy|peak|unprecedented|increased|unusual~|excessive|exceptional~) (?:\w+ )?(?:demand|load|traffic)|peak (?:load|hours)|(?:servers?|service|model|engine|system|cluster|backend|api|provider|we) (?:is |are |'s |'re )?(?:currently |temporarily |too |very |really )*(?:busy|saturated|swamped|overwhelmed)|no (?:healthy |available )(?:upstreams?|workers?|instances?|replicas?|gpus?)|uberlastet|surcharge~|saturad~|sobrecargad~|sovraccaric~|overbelast|przeciazon~|asiri yuk~`,
		other: `перегружен|перевантажен|過負荷|混雑|과부하|过载|過載|负载过高|负载已|访问量过大|繁忙|拥堵`,
	},
	aModel: {
		latin: `(?:chat )?models?|modell~?|modele|modelo|modello|(?:gpt|claude|gemini|grok|llama|qwen|deepseek|kimi|glm|mistral|codestral|devstral|minimax|command)[\w.]*-[\w.:-]+|o[134](?:-\w+)?|(?:api|model|chat|llm|openai|azure) deployments?|deployment for this resource|inference profile|opus|sonnet|haiku`,
		other: `модел|モデル|모델|模型`,
	},
	missing: {
		latin: `no models? (?:is |are )?(?:currently )?(?:available|enabled|found|configured)|(?:not|\w*n't) have (?:\w+ )?access|not found|(?:isn't|aren't|is not|are not|not) one of|isn't (?:offered|included|in|part)|is not in|cannot find|can't find|could not find|couldn't find|not exist|doesn't exist|not supported|not support|isn't supported|aren't supported|unsupported|not available|isn't available|unavailable|no longer|not (?:currently |yet )?enabled|isn't enabled|not have access|no access|not accessible|retired|deprecated|decommission~|discontinued|sunset~|shut down|end[- ]of[- ]life|eol|removed|withdrawn|unknown|unrecogni[sz]ed|not recogni[sz]ed|not a (?:valid|known|recogni[sz]ed)|invalid|not allowed|isn't allowed|not permitted|not offered|not included|not (?:part of|on|in) your|not authorized|not entitled|no such|disabled|not activated|not deployed|not served|not configured|not open|on-demand throughput|no (?:endpoints?|providers?|deployments?|channels?) |was renamed|replaced by|has been replaced|not purchased|restricted|requires (?:a |an )?(?:\w+ ){0,3}(?:plan|subscription|tier)|not whitelisted|nicht (?:gefunden|verfugbar|unterstutzt)|introuvable|no (?:existe|esta disponible|disponible)|nao (?:existe|encontrado|disponivel)|non (?:trovato|disponibile|esiste)|niet (?:gevonden|beschikbaar)|nie (?:istnieje|znaleziono|jest dostepny)|bulunamadi`,
		other: `не найден|недоступн|не поддерж|не знайден|не підтрим|見つかりません|存在しません|利用できません|サポートされていません|찾을 수 없|사용할 수 없|지원되지 않|不存在|不可用|不支持|未找到|已下线|未开通|无权`,
	},
}

// codeLike are typed codes of limits, however they are written: only letters
// of a word with an underscore, a point, or a capital within are compared.
var codeLike = lazy(`ratelimit(?:ed|error|exce|reach|hit|over|type|s?exhaust)|limitratelimit|toomanyrequests|toomanytokens|insufficient_?(?:quota|credit|balance|funds)|(?:quota|credits?|budget|limit|usage|allowance|requests?perday|rate|tpm|rpm|concurrency|spend|throughput|allocat\w*)(?:exceed|exhaust|reached|limitreached|limitexce|hit$|deplet|insufficient|limitexhaust)|exceeded(?:your)?(?:current)?(?:quota|limit|budget|rate)|resourceexhausted|throttl(?:ing|ed)(?:exception|error)?|usagelimit|outof(?:credit|quota|usage)|creditlimit|paymentrequired|requestlimit|quotafailure|allocationquota|servicequota|billinghardlimit|freetier(?:only|limit|exhaust)|notenoughcredit|nocredit|overquota|maxrequests|requestburst|dailylimit|weeklylimit|monthlylimit|hourlylimit|sessionlimit|spendlimit|spendinglimit|quotalimit|enhanceyourcalm|slowdown`)

// codeWord finds what may be a code.
var codeWord = lazy(`[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+|[A-Za-z]{8,}`)

// A lexicon are the classes' words, compiled.
var lexicon = sync.OnceValue(func() (all [classes]func() *regexp.Regexp) {
	for c, w := range words {
		pattern := `\b(?:` + strings.ReplaceAll(w.latin, "~", `\w*`) + `)(?:\b|$)`
		if w.other != "" {
			pattern += `|` + w.other
		}
		all[c] = lazy(pattern)
	}
	return all
})

func (c class) in(s string) bool { return lexicon()[c]().MatchString(s) }

func (c class) at(s string) [][]int { return lexicon()[c]().FindAllStringIndex(s, -1) }

// unaccented are the letters with marks of the languages in the tables.
var unaccented = strings.NewReplacer("ä", "a", "à", "a", "á", "a", "â", "a", "ã", "a", "ą", "a", "å", "a", "ç", "c", "ć", "c", "č", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e",
	"ğ", "g", "í", "i", "ì", "i", "î", "i", "ï", "i", "ı", "i", "ł", "l", "ñ", "n", "ń", "n", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ś", "s", "ş", "s", "š", "s", "ß", "ss",
	"ú", "u", "ù", "u", "û", "u", "ü", "u", "ź", "z", "ż", "z", "ž", "z", "i̇", "i", "’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00a0", " ", "\u202f", " ", `\n`, " ", `\"`, `"`, "`", "'")

// fold makes lower case of a text, and takes the marks off its letters.
func fold(s string) string {
	s = strings.ToLower(s)
	return unaccented.Replace(s)
}

// readRules are read by code, from the error on which a run failed.
var readRules = []rule{
	{name: "limit-in-words", kind: word, verdict: Limit, example: "Daily allotment spent. Renews 9:00."},
	{name: "overload-in-words", kind: word, verdict: Overloaded, scope: ScopeModel, example: "Error: all workers of this model are saturated, no available replica (503)"},
	{name: "model-in-words", kind: word, verdict: Unavailable, scope: ScopeModel, example: "Error: opus-9 has been sunset, and its deployments were removed"},
}
