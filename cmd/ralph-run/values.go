package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// parseDuration reads Go's durations and whole days in front of them: 7d, 1d12h.
func parseDuration(s string) (time.Duration, error) {
	rule := errors.New("want a duration such as 30s, 10m, 1h30m or 2d")
	days, rest, found := strings.Cut(s, "d")
	if !found {
		days, rest = "0", s
	} else if rest == "" {
		rest = "0"
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 || n > 36500 {
		return 0, rule
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, rule
	}
	if d += time.Duration(n) * 24 * time.Hour; d < 0 {
		return 0, errors.New("want 0 or more")
	}
	return d, nil
}

// parseTime reads a moment; one that names no zone is local.
func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
	} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("want a time such as 2026-03-18T10:00:00Z or 2026-03-18 10:00")
}

// checkModel refuses what would not be one word of the child's command line.
func checkModel(name string) error {
	switch {
	case name == "":
		return errors.New("a model's name is empty")
	case strings.ContainsAny(name, " \t\r\n"):
		return errors.New("a model's name has no blanks")
	case strings.HasPrefix(name, "-"):
		return errors.New("a model's name does not begin with a dash")
	}
	return nil
}

// checkStatus names what is wrong with an exit status that is to mean a limit.
func checkStatus(n int) string {
	switch {
	case n == 0:
		return "0 is success, never a limit"
	case n < 0:
		return "an exit status is 1 or more"
	case n > 255 && runtime.GOOS != "windows":
		return fmt.Sprintf("an exit status is at most 255 here; a program that ends with %d is seen to end with %d", n, n%256)
	}
	return ""
}

// checkToggles refuses what the environment gives a toggle that is neither true
// nor false, in our words.
func checkToggles(flags []cli.Flag) error {
	for _, f := range flags {
		b, ok := f.(toggleFlag)
		if !ok {
			continue
		}
		for _, env := range b.EnvVars {
			v := os.Getenv(env)
			if _, err := strconv.ParseBool(v); v != "" && err != nil {
				return usageErrorf("%s %q: want true or false", env, v)
			}
		}
	}
	return nil
}
