package detect

import (
	"strconv"
	"strings"
	"time"
)

// statedMoment finds a point in time: ISO and epoch first, then dates, days of
// the week and clock times, which mean the next such moment after now.
func statedMoment(text, low string, now time.Time, zone *time.Location) (time.Time, bool) {
	if g := epoch().FindStringSubmatch(low); g != nil {
		n, _ := strconv.ParseInt(g[1], 10, 64)
		return time.Unix(n, 0).UTC(), true
	}
	loc := zoneOf(text, zone)
	if g := isoTime().FindStringSubmatch(low); g != nil {
		if at, ok := isoMoment(g, loc); ok && at.After(now) {
			return at, true
		}
	}
	n := now.In(loc)
	if g := isoDay().FindStringSubmatch(low); g != nil {
		at, err := time.ParseInLocation(time.DateOnly, g[1], loc)
		return at, err == nil
	}
	if g := monthDay().FindStringSubmatch(low); g != nil {
		return monthMoment(g, n)
	}
	if g := slashDay().FindStringSubmatch(low); g != nil {
		return slashMoment(g, n)
	}
	if g := shortDay().FindStringSubmatch(low); g != nil {
		return slashMoment(g, n)
	}
	if g := weekday().FindStringSubmatch(low); g != nil {
		return weekdayMoment(g, n)
	}
	if g := tomorrow().FindStringSubmatch(low); g != nil {
		h, m, ok := clockOf(g[1:])
		return time.Date(n.Year(), n.Month(), n.Day()+1, h, m, 0, 0, n.Location()), ok
	}
	if g := clockOnly().FindStringSubmatch(low); g != nil {
		h, m, ok := clockOf(g[1:])
		at := nextClock(n, h, m)
		if s := seconds().FindStringSubmatch(g[0]); s != nil {
			at = at.Add(time.Duration(atoi(s[1])) * time.Second)
		}
		return at, ok
	}
	if g := midnight().FindStringSubmatch(low); g != nil {
		if g[2] == "pacific" || g[2] == "pt" {
			n = now.In(zoneNamed("America/Los_Angeles", loc))
		}
		hour := 0
		if g[1] == "noon" {
			hour = 12
		}
		return nextClock(n, hour, 0), true
	}
	return time.Time{}, false
}

func isoMoment(g []string, loc *time.Location) (time.Time, bool) {
	clock := g[2]
	if strings.Count(clock, ":") == 1 {
		clock += ":00"
	}
	switch z := strings.Replace(g[3], ":", "", 1); z {
	case "":
	case "z", "utc", "gmt":
		loc = time.UTC
	default:
		at, err := time.Parse("2006-01-02 15:04:05 -0700", g[1]+" "+clock+" "+z)
		return at, err == nil
	}
	at, err := time.ParseInLocation("2006-01-02 15:04:05", g[1]+" "+clock, loc)
	return at, err == nil
}

var months = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	"fev": 2, "abr": 4, "mai": 5, "ago": 8, "set": 9, "out": 10, "dez": 12, "ene": 1, "dic": 12,
}

// monthMoment reads month, day, year and clock as monthDay's groups give them.
func monthMoment(g []string, n time.Time) (time.Time, bool) {
	name, day := g[1], g[2]
	if name == "" {
		day, name = g[3], g[4]
	}
	m, d := months[name], atoi(day)
	h, min, _ := clockOf(g[6:])
	if d < 1 || d > 31 {
		return time.Time{}, false
	}
	if y := atoi(g[5]); y > 0 {
		return time.Date(y, m, d, h, min, 0, 0, n.Location()), true
	}
	at := time.Date(n.Year(), m, d, h, min, 0, 0, n.Location())
	if at.Before(n) {
		at = time.Date(n.Year()+1, m, d, h, min, 0, 0, n.Location())
	}
	return at, true
}

// slashMoment reads 11/17/2026 as the month first, unless that cannot be.
func slashMoment(g []string, n time.Time) (time.Time, bool) {
	m, d := atoi(g[1]), atoi(g[2])
	if m > 12 {
		m, d = d, m
	}
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	h, min, _ := clockOf(g[4:])
	year := atoi(g[3])
	if year == 0 {
		if year = n.Year(); !time.Date(year, time.Month(m), d, h, min, 0, 0, n.Location()).After(n) {
			year++
		}
	}
	return time.Date(year, time.Month(m), d, h, min, 0, 0, n.Location()), true
}

func weekdayMoment(g []string, n time.Time) (time.Time, bool) {
	day := strings.Index("sunmontuewedthufrisat", g[1]) / 3
	h, min, _ := clockOf(g[2:])
	ahead := (day - int(n.Weekday()) + 7) % 7
	at := time.Date(n.Year(), n.Month(), n.Day()+ahead, h, min, 0, 0, n.Location())
	if !at.After(n) {
		at = time.Date(n.Year(), n.Month(), n.Day()+ahead+7, h, min, 0, 0, n.Location())
	}
	return at, true
}

// nextClock is the next h:m after n, counted in days and not in hours, so that
// a change of daylight saving time in between does not move it.
func nextClock(n time.Time, h, m int) time.Time {
	at := time.Date(n.Year(), n.Month(), n.Day(), h, m, 0, 0, n.Location())
	if !at.After(n) {
		at = time.Date(n.Year(), n.Month(), n.Day()+1, h, m, 0, 0, n.Location())
	}
	return at
}

// clockOf reads the five groups of the clock pattern: 3pm, 3:05 pm or 15:05.
func clockOf(g []string) (h, m int, ok bool) {
	switch {
	case g[0] != "":
		h, m = atoi(g[0])%12, atoi(g[1])
		if g[2] == "p" {
			h += 12
		}
	case g[3] != "":
		h, m = atoi(g[3]), atoi(g[4])
	default:
		return 0, 0, false
	}
	return h, m, h < 24 && m < 60
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// abbreviations are the zones that clients print without a city. Those that
// name a fixed offset are taken by the place, which is what people mean.
var abbreviations = map[string]string{
	"UTC": "UTC", "GMT": "UTC", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PACIFIC": "America/Los_Angeles",
	"EST": "America/New_York", "EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "CET": "Europe/Paris", "CEST": "Europe/Paris",
	"BST": "Europe/London", "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "IST": "Asia/Kolkata",
}

// seconds are those of a clock time, where it states them.
var seconds = lazy(`\d:\d\d:(\d\d)`)

// zulu is a clock time in UTC, as machines write it.
var zulu = lazy(`\b\d{1,2}:\d\d(?::\d\d)?Z\b`)

// zoneOf is the zone that the text names, or def.
func zoneOf(text string, def *time.Location) *time.Location {
	if zulu().MatchString(text) {
		return time.UTC
	}
	for _, g := range zoneName().FindAllStringSubmatch(text, -1) {
		name := g[1] + g[2]
		if z, ok := abbreviations[strings.ToUpper(name)]; ok {
			return zoneNamed(z, def)
		}
		if strings.Contains(name, "/") {
			if loc, err := time.LoadLocation(name); err == nil {
				return loc
			}
		}
	}
	return def
}

func zoneNamed(name string, def *time.Location) *time.Location {
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return def
}
