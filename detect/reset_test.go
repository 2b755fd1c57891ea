package detect

import (
	"testing"
	"time"
)

var resetTests = []struct {
	text   string
	now    string
	zone   string
	after  time.Duration
	at     string // RFC 3339; "" = now + after, or none
	capped bool
}{
	{text: "Please try again in 58 hours.", after: 58 * time.Hour},
	{text: "try again in 2 days 8 hours", after: 56 * time.Hour},
	{text: "try again in 3 hours 2 minutes.", after: 182 * time.Minute},
	{text: "wait for your limit to reset in under a minute or switch", after: time.Minute},
	{text: "wait for your limit to reset in 30 minutes. Learn More", after: 30 * time.Minute},
	{text: "wait for your limit to reset in 1 hour or switch", after: time.Hour},
	{text: "Please wait 2 minutes before trying again", after: 2 * time.Minute},
	{text: "or wait 6 seconds for your limit to reset.", after: 6 * time.Second},
	{text: "retry after 840 seconds", after: 14 * time.Minute},
	{text: "Retry after 45s", after: 45 * time.Second},
	{text: "Please try again in 40.135999999s. Visit", after: 41 * time.Second},
	{text: "Please try again in 28ms. Visit", after: time.Second},
	{text: "Please try again in 6m0s.", after: 6 * time.Minute},
	{text: "Please try again in 1h2m3s.", after: time.Hour + 2*time.Minute + 3*time.Second},
	{text: "Try again in ~4293 min.", after: 4293 * time.Minute},
	{text: "[retrying in 5h 32m attempt #1]", after: 5*time.Hour + 32*time.Minute},
	{text: "Weekly usage limit reached. Resets in 19hr", after: 19 * time.Hour},
	{text: "Try again in 17 seconds.; retrying 5/5 in 3.32s… Try again in 11 seconds.", after: 11 * time.Second},
	{text: "API Error · Retrying in 40 seconds… (attempt 10/10)", after: 40 * time.Second},
	{text: `"retryDelay": "36s"`, after: 36 * time.Second},
	{text: `\"retryDelay\": \"36.5s\"`, after: 37 * time.Second},
	{text: `"retry_after_ms":60000`, after: time.Minute},
	{text: "retry-after: 60", after: time.Minute},
	{text: "retry_after=21600s attempts=4", after: 6 * time.Hour},
	{text: `"retry-after":"2"`, after: 2 * time.Second},
	{text: "Provider requested 1800000ms wait, exceeds", after: 30 * time.Minute},
	{text: "Your quota will reset after 22h14m53s.", after: 22*time.Hour + 14*time.Minute + 53*time.Second},
	{text: "Try again in 1 hour, 5 minutes and 3 seconds", after: time.Hour + 5*time.Minute + 3*time.Second},
	{text: "please try again in an hour", after: time.Hour},
	{text: "try again in 400 days", after: maxReset, capped: true},
	{text: "try again in 99999999999999999999 hours", after: maxReset, capped: true},

	{text: "resets 3am", at: "2026-11-30T03:00:00Z"},
	{text: "resets 4:20am (Europe/Warsaw)", at: "2026-11-30T04:20:00+01:00"},
	{text: "resets 11:40pm (America/Toronto)", at: "2026-11-29T23:40:00-05:00"},
	{text: "resets at 5pm (UTC)", now: "2026-11-29T17:00:00Z", at: "2026-11-30T17:00:00Z"},
	{text: "resets 9pm", zone: "Asia/Tokyo", at: "2026-11-30T21:00:00+09:00"},
	{text: "limit reached ∙ resets Dec 4, 9am", at: "2026-12-04T09:00:00Z"},
	{text: "∙ resets Dec 4", at: "2026-12-04T00:00:00Z"},
	{text: "resets Dec 24, 8pm (Europe/Budapest)", at: "2026-12-24T20:00:00+01:00"},
	{text: "resets Oct 24, 9am", at: "2027-01-03T19:47:00Z", capped: true},
	{text: "to reset on December 2, 2026 at 7:47 PM or switch", at: "2026-12-02T19:47:00Z"},
	{text: "reset on April 20, 2026 at 2:00 AM", now: "2026-04-19T00:00:00Z", at: "2026-04-20T02:00:00Z"},
	{text: "try again at Nov 2nd, 2026 3:05 PM.", now: "2026-11-01T00:00:00Z", at: "2026-11-02T15:05:00Z"},
	{text: "or try again at 3:05 PM.", at: "2026-11-30T15:05:00Z"},
	{text: "Seu limite de uso será redefinido em 10 de dez. de 2026, 11:52.", at: "2026-12-10T11:52:00Z"},
	{text: "usage limits will reset when your monthly cycle ends on 12/17/2026.*", at: "2026-12-17T00:00:00Z"},
	{text: "Claude AI usage limit reached|1796000000", at: "2026-11-30T00:53:20Z"},
	{text: `"resetsAt":1796000000`, at: "2026-11-30T00:53:20Z"},
	{text: "resets at 2026-12-01T00:00:00Z", at: "2026-12-01T00:00:00Z"},
	{text: "available again 2026-12-01 10:30 UTC", at: "2026-12-01T10:30:00Z"},
	{text: "resets Monday 9am", at: "2026-11-30T09:00:00Z"},
	{text: "quota resets at midnight Pacific time", at: "2026-11-30T00:00:00-08:00"},
	// the clocks change in between: still 4 o'clock as people there read it
	{text: "resets 4am (Europe/Warsaw)", now: "2026-03-28T22:00:00Z", at: "2026-03-29T04:00:00+02:00"},
	{text: "resets 4am (America/New_York)", now: "2026-11-01T04:30:00Z", at: "2026-11-01T04:00:00-05:00"},

	// said otherwise
	{text: "Come back in 11h 40m.", after: 11*time.Hour + 40*time.Minute},
	{text: "return in half an hour", after: 30 * time.Minute},
	{text: "Unlocks in 00:42:10.", after: 42*time.Minute + 10*time.Second},
	{text: "Cool-down: 180 seconds.", after: 3 * time.Minute},
	{text: "You may try again in twenty-four hours.", after: 24 * time.Hour},
	{text: "try again in two hours", after: 2 * time.Hour},
	{text: "Your window reopens in an hour", after: time.Hour},
	{text: "Access is back in 45 minutes", after: 45 * time.Minute},
	{text: "Wait for 90 seconds and resend", after: 90 * time.Second},
	{text: "Retry-After: Mon, 30 Nov 2026 07:28:00 GMT", at: "2026-11-30T07:28:00Z"},
	{text: "until Thursday 08:00", at: "2026-12-03T08:00:00Z"},
	{text: "included usage is back Dec 4, 12am (Africa/Cairo)", at: "2026-12-04T00:00:00+02:00"},
	{text: "You will regain access on 2026-12-01 at 00:00 UTC.", at: "2026-12-01T00:00:00Z"},
	{text: "Cycle ends 2026-12-19.", at: "2026-12-19T00:00:00Z"},
	{text: "Your allowance renews tomorrow at 9:30 am", at: "2026-11-30T09:30:00Z"},
	{text: "At 9:30 your quota renews.", at: "2026-11-30T09:30:00Z"},
	{text: "On Tuesday at 9:30 it becomes available again", at: "2026-12-01T09:30:00Z"},
	{text: "opens again at 4:05am (Pacific/Auckland)", at: "2026-12-01T04:05:00+13:00"},
	{text: "Versuchen Sie es in 20 Minuten erneut.", after: 20 * time.Minute},
	{text: "In 2 Stunden und 5 Minuten wieder verfügbar", after: 125 * time.Minute},
	{text: "wird um 16:20 Uhr zurückgesetzt (Europe/Berlin)", now: "2026-11-30T12:00:00Z", at: "2026-11-30T16:20:00+01:00"},
	{text: "Verfügbar ab 4. Dezember, 9 Uhr – dann zurückgesetzt", at: "2026-12-04T09:00:00Z"},
	{text: "Réessayez dans 35 minutes ou changez de modèle.", after: 35 * time.Minute},
	{text: "Réessayez à 14 h 30.", at: "2026-11-30T14:30:00Z"},
	{text: "Inténtalo de nuevo en 3 horas.", after: 3 * time.Hour},
	{text: "se restablece el 9 dic, 8:00 (America/Lima)", at: "2026-12-09T08:00:00-05:00"},
	{text: "Tente novamente em 2 horas e 10 minutos.", after: 130 * time.Minute},
	{text: "Riprova tra 15 minuti.", after: 15 * time.Minute},
	{text: "Probeer het over 2 uur opnieuw", after: 2 * time.Hour},
	{text: "odnowienie o 21:00 (Europe/Warsaw)", at: "2026-11-29T21:00:00+01:00"},
	{text: "Spróbuj ponownie za 10 minut", after: 10 * time.Minute},
	{text: "45 dakika sonra tekrar deneyin.", after: 45 * time.Minute},
	{text: "Повторите попытку через 5 минут.", after: 5 * time.Minute},
	{text: "Спробуйте через 2 години", after: 2 * time.Hour},
	{text: "20 分後に再試行するか、別のモデルに切り替えてください。", after: 20 * time.Minute},
	{text: "3時間30分後にリセットされます", after: 210 * time.Minute},
	{text: "30분 후에 다시 시도하세요.", after: 30 * time.Minute},
	{text: "请在 60 秒后重试", after: time.Minute},
	{text: "您的限额将在 2026-12-01 07:41:44 重置。", at: "2026-12-01T07:41:44Z"},
	{text: "额度将于明天 8:00 恢复", at: "2026-11-30T08:00:00Z"},
	{text: "2026年12月1日9点重置", at: "2026-12-01T09:00:00Z"},

	{text: "Access returns on 2026-12-17", at: "2026-12-17T00:00:00Z"},
	{text: "The next slot opens at 21:40 (Europe/Rome)", at: "2026-11-29T21:40:00+01:00"},
	{text: "3 h 5 min to go before more is available", after: 185 * time.Minute},
	{text: "The next grant arrives at 06:00 UTC.", at: "2026-11-30T06:00:00Z"},
	{text: "Your quota resets on 12/05.", at: "2026-12-05T00:00:00Z"},
	{text: "Window slides at 23:15:30Z", zone: "Asia/Tokyo", at: "2026-11-29T23:15:30Z"},
	{text: "Requests resume Mon, 07 Dec 2026 08:00:00 GMT.", at: "2026-12-07T08:00:00Z"},
	{text: "no requests from your key for the next 240 s", after: 4 * time.Minute},
	{text: "You can keep going in 2h 14m", after: 134 * time.Minute},
	{text: "Resets in: 29m50s", after: 29*time.Minute + 50*time.Second},
	{text: "headers: { 'retry-after': '1800' }", after: 30 * time.Minute},
	{text: "Il sera réinitialisé à minuit (heure du Pacifique).", at: "2026-11-30T00:00:00-08:00"},
	{text: "오후 6시에 초기화됩니다", at: "2026-11-30T18:00:00Z"},
	{text: "下午6点30分重置", at: "2026-11-30T18:30:00Z"},
	{text: "wordt op 9 december opnieuw ingesteld", at: "2026-12-09T00:00:00Z"},
	{text: "等待 90s", after: 90 * time.Second},
	{text: "Please return tomorrow.", at: "2026-11-30T00:00:00Z"},
	{text: "retrying (1/3): slow down"},

	{text: "try again later"},
	{text: "Please wait a moment before trying again"},
	{text: "limits to reset (every 5h and every week.)"},
	{text: "Your quota will reset after 0s."},
	{text: "resets 25:99"},
}

func TestParseReset(t *testing.T) {
	for _, tt := range resetTests {
		t.Run(tt.text, func(t *testing.T) {
			now := moment(t, "2026-11-29T19:47:00Z")
			if tt.now != "" {
				now = moment(t, tt.now)
			}
			zone := time.UTC
			if tt.zone != "" {
				zone, _ = time.LoadLocation(tt.zone)
			}
			got := parseReset(tt.text, now, zone)
			var at time.Time
			if tt.at != "" {
				at = moment(t, tt.at)
			} else if tt.after != 0 {
				at = now.Add(tt.after)
			}
			if got.after != tt.after || !got.at.Equal(at) || got.capped != tt.capped {
				t.Errorf("parseReset(%q) = %v, %v, capped %t; want %v, %v, capped %t", tt.text, got.after, got.at, got.capped, tt.after, at, tt.capped)
			}
		})
	}
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
