package detect

import (
	"regexp"
	"strings"
)

// A rewrite says in English, and in figures, what a text says otherwise, so
// that the patterns for times need to know one language only.
type rewrite struct {
	re func() *regexp.Regexp
	to string
}

// rewrites work on folded text, in this order: what stands for a moment before
// what stands for a length of time, units before what leads to them.
var rewrites = []rewrite{
	// spelled out
	{lazy(`\bhalf an? hour\b|\beine halbe stunde\b|\bune demi[- ]heure\b|\bmedia hora\b|\bmeia hora\b|\bmezz'ora\b|\been half uur\b|\bpol godziny\b|\byarim saat\b|полчаса|півгодини|半小时|半小時`), "30 minutes"},
	{lazy(`\b(?:an|one) hour and a half\b`), "90 minutes"},
	{lazy(`\ba quarter of an hour\b`), "15 minutes"},
	{lazy(`\b(?:an|one|einer|une|una|uma|een) (hour|minute|day|week|second|stunde|heure|hora|ora|uur)\b`), "1 $1"},
	{lazy(`\b(in|within|after) a (minute|day|week|second)\b`), "$1 1 $2"},
	{lazy(`\b(?:in|dans|en|em) (\d{1,3}):(\d\d):(\d\d)\b`), "again in $1 hours $2 minutes $3 seconds"},
	{lazy(`((?:\d+(?:[.,]\d+)? ?(?:days?|hours?|hrs?|minutes?|mins?|min|seconds?|secs?|[dhms])\b,? ?(?:and )?)+)(?:to go|until then|left until|remaining before)`), "again in $1"},
	{lazy(`\b(?:for|over|during|within) the next (\d)`), "again in $1"},
	{lazy(`\breturn (tomorrow)\b|\bresumes? ((?:mon|tue|wed|thu|fri|sat|sun)\w*,? )`), "again $1$2"},
	{lazy(`\b(?:minuit|mitternacht|medianoche|meia-noite|mezzanotte|middernacht|polnoc[ay]?|gece yarisi)\b|полноч\pL*|опівноч\pL*|午夜|零时|深夜0時|자정`), " midnight "},
	{lazy(`midnight +\(?(?:heure du pacifique|hora del pacifico|hora do pacifico|ora del pacifico|pazifische zeit|pacific (?:standard |daylight )?time)\)?`), "midnight pacific"},
	// dates of other languages
	{lazy(`(?:오전|上午|午前|早上)\s?(\d{1,2})\s?[点點時时시]`), " at $1 am "},
	{lazy(`(?:오후|下午|午後|晚上)\s?(\d{1,2})\s?[点點時时시](?:\s?(\d\d)\s?[分분])?`), " at $1:0$2 pm "},
	{lazy(`:0(\d\d) pm `), ":$1 pm "},
	{lazy(`:0 pm `), " pm "},
	{lazy(`(\d{4})\s?[年년]\s?(\d)\s?[月월]`), "${1}年0${2}月"},
	{lazy(`[月월]\s?(\d)\s?[日号號일]`), "月0${1}日"},
	{lazy(`(\d{4})\s?[年년]\s?(\d\d)\s?[月월]\s?(\d\d)\s?[日号號일]`), "resets $1-$2-$3 "},
	{lazy(`\b(\d\d)\.(\d\d)\.(\d{4})\b`), "$3-$2-$1"},
	{lazy(`\b(?:a|as|vers|om|um|alle|ore|kl) (\d{1,2}) ?h(?:eures?)? ?(\d\d)\b`), "at $1:$2"},
	{lazy(`\b(?:a|vers|om|um) (\d{1,2}) ?(?:h|heures?|uur)\b`), "at $1:00"},
	{lazy(`\b(\d{1,2}) uhr\b`), "$1:00"},
	{lazy(`(\d{1,2})\s?[点點時시]\s?(\d\d)\s?[分분]`), " at $1:$2 "},
	{lazy(`(\d{1,2})\s?[点點]`), " at $1:00 "},
	{lazy(`\buhr\b`), ""},
	// units
	{lazy(`(\d)\s*(?:(?:sekunden?|secondes?|segundos?|second[io]|seconden|sekund[aey]?|saniye)\b|секунд\pL*|秒(?:[钟鐘間间])?|초)`), "$1 seconds "},
	{lazy(`(\d)\s*(?:(?:minuten?|minutos?|minut[io]|minuut|minut[aey]?|dakika)\b|минут\pL*|хвилин\pL*|分(?:[钟鐘間间])?|분)`), "$1 minutes "},
	{lazy(`(\d)\s*(?:(?:stunden?|heures?|horas?|or[ae]|uur|uren|godzin[aey]?|saat)\b|час\pL*|годин\pL*|个?小时|個?小時|時間|시간)`), "$1 hours "},
	{lazy(`(\d)\s*(?:(?:tag(?:en?)?|jours?|dias?|giorn[io]|dagen|dag|dni|dzien|gun)\b|дн\pL*|день|天|日間|일)`), "$1 days "},
	{lazy(`(\d)\s*(?:(?:wochen?|semaines?|semanas?|settiman[ae]|weken|tygodni\w*|hafta)\b|недел\pL*|тижн\pL*|周|週間|주)`), "$1 weeks "},
	{lazy(`(seconds|minutes|hours|days|weeks) +(?:und|et|y|e|ed|en|i|ve|и|та|і) +(\d)`), "$1 $2"},
	// what leads to a length of time
	{lazy(`\b(?:in|dans|en|em|tra|fra|over|za|po|nach|apres|dentro de|dopo|depois de|despues de|na)\s+(\d[\d.,]* (?:seconds|minutes|hours|days|weeks))`), "again in $1"},
	{lazy(`через\s+(\d)`), "again in $1"},
	{lazy(`((?:\d+ (?:seconds|minutes|hours|days|weeks)\s+)+)(?:後|后|후|뒤|sonra|icinde|之后|以后|later\b)`), " again in $1"},
	{lazy(`\b(?:come back|check back|returns?|be back|keep going|continue|opens|arrives|slides|is back|are back|back|regain access|unlocks?|unlocked|re-?opens?|opens again|lifts|lifted|resumes?|starts over|rolls over|clears?) (in|at|on|after|until)\b`), "again $1"},
	{lazy(`\b(?:is|are|be) back\b|\bunlocks\b|\bcycle ends\b|\bperiod ends\b|\bnew cycle\b`), "again"},
	{lazy(`等待\s?(\d)`), "wait $1"},
	{lazy(`\bcool[- ]?down(?: period| time)?(?: of)?:?\s+(\d)`), "wait $1"},
	// what ends a limit
	{lazy(`(?:zuruckgesetzt|zuruckgestellt|setzt sich zuruck|reinitialis\w*|renouvel\w*|restablec\w*|se renueva|renuev\w*|redefin\w*|renova\w*|reimposta\w*|azzera\w*|ripristin\w*|hersteld|vernieuwd|odnowi\w*|odnawia\w*|resetuje|resetowan\w*|sifirlan\w*|yenilen\w*|сброс\pL*|сбрас\pL*|обнов\pL*|скид\pL*|віднов\pL*|онов\pL*|リセット|再開|회복|재설정|초기화|갱신|重置|恢复|恢復|刷新)`), " resets "},
	{lazy(`(?:\b(?:erneut|wieder|reessay\w*|intenta\w*|intente\w*|novamente|de novo|riprova\w*|opnieuw|ponownie|tekrar|bis|jusqu'a|hasta|ate|fino a|tot|do)\b|повтор\pL*|снова|спробуйте|再試行|もう一度|다시|重试|重試|再试|再試|まで|까지)`), " again "},
	{lazy(`\b(?:morgen|demain|manana|amanha|domani|jutro|yarin)\b|завтра|明日|明天|내일`), "tomorrow"},
	// the moment before what happens then
	{lazy(`((?:(?:\btomorrow\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)(?:,? (?:at )?\d{1,2}(?::\d\d)?\s?(?:[ap]m)?)?|\b\d{1,2}:\d\d|\b\d{1,2} ?[ap]m\b|\d{4}-\d\d-\d\d)[^.;|]{0,60}?(?:resets?|again|available|renew\w*|refresh\w*|back)\b)`), "resets $1"},
}

// calendars are the beginnings of names of months and days in other languages.
var calendars = []struct {
	re func() *regexp.Regexp
	to []string
}{
	{lazy(`\b(\d{1,2})\.?(?:er)? (?:de |d')?(?:(janv|ene|gen|sty|oca|янв|січ)|(fevr|lut|sub|фев|лют)|(marz|mars|mrt|мар|бер)|(avr|abr|kwi|nis|апр|кві)|(mai|mei|mag|maj|мая|май|тра)|(juin|giu|cze|haz|июн|чер)|(juil|lug|lip|tem|июл|лип)|(aout|ago|sie|agu|авг|сер)|(set|wrz|eyl|сен|вер)|(okt|out|ott|paz|eki|окт|жов)|(lis|kas|ноя)|(dez|dic|gru|ara|дек|гру))\pL*\.?`),
		[]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{lazy(`(?:(montag|lundi|lunes|segunda|lunedi|maandag|poniedzial\w*|pazartesi|понедельник\pL*|понеділ\pL*|月曜日?|월요일|周一|星期一)|(dienstag|mardi|martes|terca|martedi|dinsdag|wtor\w*|вторник\pL*|вівтор\pL*|火曜日?|화요일|周二|星期二)|(mittwoch|mercredi|miercoles|quarta|mercoledi|woensdag|srod\w+|carsamba|сред[аыу]|серед\pL*|水曜日?|수요일|周三|星期三)|(donnerstag|jeudi|jueves|quinta|giovedi|donderdag|czwart\w*|persembe|четверг\pL*|четвер\pL*|木曜日?|목요일|周四|星期四)|(freitag|vendredi|viernes|sexta|venerdi|vrijdag|piat\w+|cuma\b|пятниц\pL*|п'ятниц\pL*|金曜日?|금요일|周五|星期五)|(samstag|sonnabend|samedi|sabado|sabato|zaterdag|sobot\w*|cumartesi|суббот\pL*|субот\pL*|土曜日?|토요일|周六|星期六)|(sonntag|dimanche|domingo|domenica|zondag|niedziel\w*|воскресень\pL*|неділ\pL*|日曜日?|일요일|周日|星期日|星期天))`),
		[]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}},
}

// figures are numbers that are spelled out.
var figures = strings.Fields("two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 twelve 12 fifteen 15 twenty 20 twenty-four 24 thirty 30 forty 40 forty-five 45 sixty 60 ninety 90")

var spelled = lazy(`\b(two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty-four|twenty|thirty|forty-five|forty|sixty|ninety) ((?:more )?(?:seconds|minutes|hours|days|weeks))\b`)

// english is a text with its times in English and in figures.
func english(text string) string {
	s := fold(text)
	if g := spelled().FindStringSubmatchIndex(s); g != nil {
		for i := 0; i < len(figures); i += 2 {
			if figures[i] == s[g[2]:g[3]] {
				s = s[:g[2]] + figures[i+1] + s[g[3]:]
				break
			}
		}
	}
	for _, c := range calendars {
		if g := c.re().FindStringSubmatchIndex(s); g != nil {
			s = s[:g[0]] + nameOf(s, g, c.to) + s[g[1]:]
		}
	}
	for _, w := range rewrites {
		s = w.re().ReplaceAllString(s, w.to)
	}
	return s
}

// nameOf is the name in English of what the groups of a calendar found: the
// first group is the day of a month, where there is one.
func nameOf(s string, g []int, to []string) string {
	first, day := 1, ""
	if len(g)/2-1 > len(to) {
		first, day = 2, " "+s[g[2]:g[3]]
	}
	for i, name := range to {
		if g[2*(first+i)] >= 0 {
			if end := s[g[1]:]; end == "" || end[0] != ' ' && end[0] != ',' {
				day += " "
			}
			return name + day
		}
	}
	return s[g[0]:g[1]]
}
