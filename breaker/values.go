package breaker

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// This file reads single values, in every way PowerShell, JavaScript and people
// write them. Each parser returns the value, or what is wrong with it.

func unquote(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// parseNumber reads a number, also one saved as a string.
func parseNumber(raw json.RawMessage) (float64, string) {
	s, ok := unquote(raw)
	if !ok {
		s = string(raw)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, "is not a number: the default is used"
	}
	return n, ""
}

// parseCount reads a whole number that is not negative.
func parseCount(raw json.RawMessage) (int, string) {
	n, problem := parseNumber(raw)
	switch {
	case problem != "":
		return 0, problem
	case n < 0 || n > math.MaxInt32 || n != math.Trunc(n):
		return 0, "is not a whole number from 0 on: the default is used"
	}
	return int(n), ""
}

func parseText(raw json.RawMessage) (string, string) {
	s, ok := unquote(raw)
	if !ok {
		return "", "is not text: it is ignored"
	}
	return s, ""
}

func parseModel(raw json.RawMessage) (string, string) {
	s, ok := unquote(raw)
	if s = strings.TrimSpace(s); !ok || s == "" {
		return "", "is not the name of a model: the default is used"
	}
	return s, ""
}

// parseList reads an array of strings, also one of one element that was saved as
// a plain string.
func parseList(raw json.RawMessage) ([]string, string) {
	if s, ok := unquote(raw); ok {
		if s = strings.TrimSpace(s); s == "" {
			return nil, ""
		}
		return []string{s}, ""
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, "is not a list of names: the default is used"
	}
	return list, ""
}

// parseState reads a state's name as PowerShell compares it, without regard to
// case. "exhausted" is a newer template's word for an open circuit without
// fallbacks.
func parseState(raw json.RawMessage) (State, string) {
	s, _ := unquote(raw)
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "closed":
		return Closed, ""
	case "open", "exhausted":
		return Open, ""
	case "half-open", "halfopen", "half_open":
		return HalfOpen, ""
	}
	return "", "is not closed, open or half-open: closed is used"
}

var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02",
	"01/02/2006 15:04:05 Z07:00",
	"01/02/2006 15:04:05",
	"1/2/2006 3:04:05 PM",
	"1/2/2006 15:04:05",
}

// dateCall returns the milliseconds of a time that Windows PowerShell saved as
// "/Date(1747000000000)/", with or without an offset, which changes nothing.
func dateCall(s string) (millis string, ok bool) {
	s, ok = strings.CutPrefix(s, "/Date(")
	s, closed := strings.CutSuffix(s, ")/")
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		s = s[:i]
	}
	return s, ok && closed
}

// parseTime reads a moment; one without a zone is local, and "" is none.
func parseTime(raw json.RawMessage) (time.Time, string) { return parseTimeIn(raw, time.Local) }

func parseTimeIn(raw json.RawMessage, zone *time.Location) (time.Time, string) {
	const bad = "is not a time: it is ignored"
	s, ok := unquote(raw)
	s = strings.TrimSpace(s)
	if ok && s == "" {
		return time.Time{}, ""
	}
	if millis, ok := dateCall(s); ok {
		n, err := strconv.ParseInt(millis, 10, 64)
		if err != nil {
			return time.Time{}, bad
		}
		return inRange(time.UnixMilli(n), bad)
	}
	if !ok {
		return fromUnix(string(raw), bad)
	}
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return inRange(t, bad)
		}
	}
	return time.Time{}, bad
}

// fromUnix reads a Unix time as a number: of milliseconds, as JavaScript has it,
// or of seconds where that is the only sensible reading.
func fromUnix(s, bad string) (time.Time, string) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(n) > 1e15 {
		return time.Time{}, bad
	}
	if math.Abs(n) < 1e11 {
		n *= 1000
	}
	return inRange(time.UnixMilli(int64(n)), bad)
}

// tick is how exactly the file keeps time.
const tick = 100 * time.Nanosecond

// inRange keeps a time within what every writer of the file can read back.
func inRange(t time.Time, bad string) (time.Time, string) {
	t = t.UTC().Truncate(tick)
	switch {
	case t.Year() > 9999:
		return time.Time{}, bad
	case t.Year() < 1970:
		return time.Unix(0, 0).UTC(), ""
	}
	return t, ""
}
