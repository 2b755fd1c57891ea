package detect

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, also where the system has none
)

// maxReset bounds what is believed: no plan resets less often than monthly.
const maxReset = 35 * 24 * time.Hour

// A reset is when a text says that the limit ends.
type reset struct {
	after  time.Duration // stated as a wait; 0 = not
	at     time.Time     // the moment; zero = none stated
	capped bool
}

const (
	number    = `(\d+(?:[.,]\d+)?)`
	unitWords = `(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|wks?|w)`
	duration  = `~?\s?(?:(?:\d+(?:[.,]\d+)?\s?` + unitWords + `)+\b(?:,? ?(?:and )?)){1,5}`
	lead      = `(?:in|after|for|wait|within|another|about|approximately|of|wait:|after:|in:)`
	clock     = `(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s?([ap])\.?m\b\.?|(\d{1,2}):(\d{2})(?::\d{2})?`
	month     = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|fev|abr|mai|ago|set|out|dez|ene|dic)[a-zç]*\.?`
)

// timeWords are parts of words without which no text says when a limit ends.
var timeWords = parts("reset|retr|again|wait|delay|avail|until|renew|refresh|redefin|restabl|ends |replen|refill|requested|sleep|expire|cool|limit reached")

var (
	machineWaits = []struct {
		re   func() *regexp.Regexp
		unit time.Duration
	}{
		{lazy(`retry[-_ ]?after[-_ ]?ms["']?\s*[:=]\s*["']?` + number), time.Millisecond},
		{lazy(`retry[-_]after[-_ ]?(?:seconds)?["']?\s*[:=]\s*["']?` + number + `\b`), time.Second},
		{lazy(`retrydelay\\?["']?\s*:\s*\\?["']?` + number + `s`), time.Second},
		{lazy(`(?:retrydelayms|delayms|retry_delay_ms)\\?["']?\s*[:=]\s*` + number), time.Millisecond},
		{lazy(`(?:retry_delay|resets?_in_seconds|reset_after_seconds|wait_seconds)\\?["']?\s*[:=]\s*(?:\{\s*seconds:\s*)?` + number), time.Second},
		{lazy(`requested ` + number + `ms wait`), time.Millisecond},
	}
	waitPhrase = lazy(`\b(?:(?:try|trying|retry|retrying|again|resets?|reset|refresh(?:es)?|renews?|replenish(?:es)?|refill(?:s|ed)?|available|expires?|cool(?:ing)? ?down|(?:come|check) back|wait|waiting|sleep(?:ing)?)\b[^.;\n]{0,40}?\b` +
		lead + `|wait|retry[-_]after:?|resets?|retrying|cooldown:?)[\s=](?:at least |up to |about |approximately |another )?(` + duration + `)`)
	bareRetry   = lazy(`(?:try|retry)(?:ing)? (?:again )?\(?(?:in )?(` + duration + `)`)
	underUnit   = lazy(`\b(?:in|within) (?:under|less than|about|around) (?:an?|one|1) (second|minute|hour|day|week)`)
	inUnit      = lazy(`\b(?:in|wait|after) (?:an?|one) (second|minute|hour|day|week)\b`)
	durationOne = lazy(number + `\s?` + unitWords)

	resetWord = `(?:resets?|reset|again|renews?|refresh(?:es)?|retry|available|until|redefinido|restablece[rá]*|ends|refill(?:s|ed)?|restored|wait)`
	isoTime   = lazy(`(?:` + resetWord + `|reset|resets?_?at|refill|renew|expir|regain|cycle)[^;|\n]{0,60}?(\d{4}-\d{2}-\d{2})(?:[ t]|,? {1,2}at )(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s?(z|utc|gmt|[+-]\d{2}:?\d{2})?`)
	epoch     = lazy(`(?:\||resets?_?at\\?["']?\s*[:=]\s*["']?|reset["']?\s*[:=]\s*["']?)(1[6-9]\d{8}|[2-3]\d{9})(\d{3})?\b`)
	monthDay  = lazy(resetWord + `[^;|\n]{0,50}?\b(?:` + month + `\s(\d{1,2})(?:st|nd|rd|th)?\b|(\d{1,2})(?:st|nd|rd|th)?(?: de| of)? ` + month + `)(?:(?:,| de|)\s(\d{4})\b)?(?:(?:,|\sat|,? às|\sa las)?\s(?:at\s)?(?:` + clock + `))?`)
	slashDay  = lazy(resetWord + `[^;|\n]{0,50}?\b(\d{1,2})/(\d{1,2})/(\d{4})\b(?:,?\s(?:at\s)?(?:` + clock + `))?`)
	shortDay  = lazy(`(?:resets?|renews?|refresh(?:es)?|again|available|until)(?: again)? on (\d{1,2})/(\d{1,2})()\b(?:,?\s(?:at\s)?(?:` + clock + `))?`)
	weekday   = lazy(resetWord + `[^.;|\n]{0,20}?\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b(?:(?:,|\sat)?\s(?:at\s)?(?:` + clock + `))?`)
	clockOnly = lazy(resetWord + `[^.;|\n]{0,30}?\s(?:at\s|@\s?)?(?:` + clock + `)`)
	isoDay    = lazy(resetWord + `[^;|\n]{0,50}?\b(\d{4}-\d{2}-\d{2})\b`)
	tomorrow  = lazy(`\btomorrow,?(?: at)? (?:` + clock + `)`)
	midnight  = lazy(resetWord + `[^.;|\n]{0,30}?\b(midnight|noon|tomorrow)\b(?: (pacific|utc|gmt|pt|et))?`)
	zoneName  = lazy(`\(([A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*)\)|\b(UTC|GMT|PST|PDT|EST|EDT|CST|CDT|MST|MDT|CET|CEST|BST|JST|IST|KST|Pacific)\b`)
)

// parseReset finds when text says that the limit ends. now resolves what is
// relative; zone is for clock times that name none.
func parseReset(text string, now time.Time, zone *time.Location) reset {
	for _, say := range []func(string) string{strings.ToLower, english} {
		low := say(text)
		if !timeWords.in([]byte(low)) {
			continue
		}
		if d, ok := statedWait(low); ok {
			return boundedWait(d, now)
		}
		if zone == nil {
			zone = time.UTC
		}
		if at, ok := statedMoment(text, low, now, zone); ok {
			r := reset{at: at}
			if at.Sub(now) > maxReset {
				r.at, r.capped = now.Add(maxReset), true
			}
			return r
		}
	}
	return reset{}
}

func boundedWait(d time.Duration, now time.Time) reset {
	if d <= 0 {
		return reset{}
	}
	if d > maxReset {
		return reset{after: maxReset, at: now.Add(maxReset), capped: true}
	}
	if rest := d % time.Second; rest != 0 {
		d += time.Second - rest // whole seconds, never too early
	}
	return reset{after: d, at: now.Add(d)}
}

// statedWait finds a wait, the values for machines first. Where a text names
// several, the last counts: a client that goes on says it anew.
func statedWait(low string) (time.Duration, bool) {
	for _, m := range machineWaits {
		if g := m.re().FindStringSubmatch(low); g != nil {
			if d := scale(g[1], m.unit); d > 0 {
				return d, true
			}
		}
	}
	if g := underUnit().FindStringSubmatch(low); g != nil {
		return unitOf(g[1]), true
	}
	for _, re := range []func() *regexp.Regexp{waitPhrase, bareRetry} {
		if all := re().FindAllStringSubmatch(low, -1); all != nil {
			if d := sumDuration(all[len(all)-1][1]); d > 0 {
				return d, true
			}
		}
	}
	if g := inUnit().FindStringSubmatch(low); g != nil && strings.Contains(low, "again") {
		return unitOf(g[1]), true
	}
	return 0, false
}

func sumDuration(s string) time.Duration {
	var sum time.Duration
	for _, g := range durationOne().FindAllStringSubmatch(s, -1) {
		d := scale(g[1], unitOf(g[2]))
		if d < 0 || sum+d < sum {
			return 1<<63 - 1
		}
		sum += d
	}
	return sum
}

func scale(n string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.Replace(n, ",", ".", 1), 64)
	if err != nil {
		return 0
	}
	if f *= float64(unit); f < 1<<62 {
		return time.Duration(f)
	}
	return 1<<63 - 1
}

func unitOf(u string) time.Duration {
	switch {
	case strings.HasPrefix(u, "ms"), strings.HasPrefix(u, "milli"):
		return time.Millisecond
	case strings.HasPrefix(u, "s"):
		return time.Second
	case strings.HasPrefix(u, "m"):
		return time.Minute
	case strings.HasPrefix(u, "h"):
		return time.Hour
	case strings.HasPrefix(u, "d"):
		return 24 * time.Hour
	}
	return 7 * 24 * time.Hour
}
