package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap/zapcore"

	"github.com/ralph-run/ralph-run/supervisor"
)

// settings are the flags, checked.
type settings struct {
	state  string // as given; "" = look for it
	shared bool

	prefer   string
	fallback []string // nil = the state's
	cooldown time.Duration

	attempts       int
	onExhausted    supervisor.OnExhausted
	maxWait        time.Duration
	grace          time.Duration
	patience       time.Duration
	resume         bool
	alsoOverloaded bool

	limitExitCodes []int
	match, ignore  []*regexp.Regexp

	pty    supervisor.PTYMode
	dryRun bool

	quiet     bool
	logLevel  zapcore.Level
	logFile   string
	logFormat string
}

// A reader reads flags and keeps the first mistake.
type reader struct {
	c     *cli.Context
	given []string // the flags on the command line
	err   error
}

func (p *program) readSettings(c *cli.Context) (settings, error) {
	r := reader{c: c, given: p.given}
	s := settings{
		prefer:   r.model("prefer"),
		fallback: r.models("fallback"),
		cooldown: r.cooldown("cooldown"),

		attempts:       r.count("attempts"),
		onExhausted:    supervisor.OnExhausted(r.choice("on-exhausted", "fail", "wait", "try")),
		maxWait:        r.duration("max-wait"),
		grace:          r.duration("grace"),
		patience:       r.duration("patience"),
		resume:         r.choice("resume", "auto", "never") == "auto",
		alsoOverloaded: r.choice("also", "", "overloaded") == "overloaded",

		limitExitCodes: r.statuses("limit-exit-code"),
		match:          r.patterns("match"),
		ignore:         r.patterns("ignore"),

		pty:    supervisor.PTYMode(r.choice("pty", "auto", "always", "never")),
		dryRun: c.Bool("dry-run"),

		quiet:     c.Bool("quiet"),
		logFile:   c.String("log-file"),
		logFormat: r.choice("log-format", "console", "json"),
	}
	s.state, s.shared = r.place()
	s.logLevel = r.level("log-level")
	return s, r.err
}

// bad keeps a mistake: what was given, under the name it was given by, and the
// rule it breaks.
func (r *reader) bad(name, value, rule string) {
	if r.err != nil {
		return
	}
	given := "--" + name
	if !r.onLine(name) {
		given = envName(name)
	}
	r.err = usageErrorf("%s %q: %s", given, value, rule)
}

// onLine reports whether a flag was given on the command line.
func (r *reader) onLine(name string) bool { return slices.Contains(r.given, name) }

// text returns a flag's value; an empty one is its default.
func (r *reader) text(name string) string {
	if v := r.c.String(name); v != "" {
		return v
	}
	for _, f := range r.c.App.Flags {
		if f, ok := f.(*cli.StringFlag); ok && f.Name == name {
			return strings.Trim(f.GetDefaultText(), `"`)
		}
	}
	return ""
}

// place resolves --state against --shared: the command line beats the
// environment.
func (r *reader) place() (state string, shared bool) {
	state, shared = r.c.String("state"), r.c.Bool("shared")
	if state == "" || !shared {
		return state, shared
	}
	switch lineState, lineShared := r.onLine("state"), r.onLine("shared"); {
	case lineState && !lineShared:
		return state, false
	case lineShared && !lineState:
		return "", true
	}
	r.bad("state", state, "not together with --shared, which names a place too")
	return state, shared
}

func (r *reader) choice(name string, choices ...string) string {
	v := r.text(name)
	if !slices.Contains(choices, v) {
		choices = slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return c == "" })
		r.bad(name, v, "want "+strings.Join(choices, ", "))
	}
	return v
}

func (r *reader) count(name string) int {
	v := r.text(name)
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		r.bad(name, v, "want a whole number, 0 or more")
	}
	return n
}

func (r *reader) duration(name string) time.Duration {
	v := r.text(name)
	if v == "" {
		return 0
	}
	d, err := parseDuration(v)
	if err != nil {
		r.bad(name, v, err.Error())
	}
	return d
}

// cooldown reads a duration that is none or more than nothing.
func (r *reader) cooldown(name string) time.Duration {
	d := r.duration(name)
	if v := r.text(name); v != "" && d == 0 {
		r.bad(name, v, "want more than 0")
	}
	return d
}

// parseDuration reads Go's durations and whole days in front of them: 7d, 1d12h.
func parseDuration(s string) (time.Duration, error) {
	rule := fmt.Errorf("want a duration such as 30s, 10m, 1h30m or 2d")
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
		return 0, fmt.Errorf("want 0 or more")
	}
	return d, nil
}

func (r *reader) model(name string) string {
	v := r.c.String(name)
	if err := checkModel(v); v != "" && err != nil {
		r.bad(name, v, err.Error())
	}
	return v
}

// checkModel refuses what would not be one word of the child's command line.
func checkModel(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a model's name is empty")
	case strings.ContainsAny(name, " \t\r\n"):
		return fmt.Errorf("a model's name has no blanks")
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("a model's name does not begin with a dash")
	}
	return nil
}

// models reads a list of models: nil if none was given, empty for "none".
func (r *reader) models(name string) []string {
	v := r.c.String(name)
	switch v {
	case "":
		return nil
	case "none":
		return []string{}
	}
	list := strings.Split(v, ",")
	for i, m := range list {
		list[i] = strings.TrimSpace(m)
		if err := checkModel(list[i]); err != nil {
			r.bad(name, v, err.Error()+"; want models with a comma between two, or none")
			return nil
		}
	}
	return list
}

func (r *reader) statuses(name string) []int {
	v := r.text(name)
	if v == "none" {
		return nil
	}
	var list []int
	for _, word := range strings.Split(v, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			r.bad(name, v, "want exit statuses with a comma between two, or none")
			return nil
		}
		if rule := checkStatus(n); rule != "" {
			r.bad(name, v, rule)
			return nil
		}
		list = append(list, n)
	}
	return list
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

// patterns reads regular expressions; the environment holds one a line.
func (r *reader) patterns(name string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, v := range r.c.StringSlice(name) {
		if r.onLine(name) {
			list = r.pattern(list, name, v)
			continue
		}
		for line := range strings.Lines(v) {
			list = r.pattern(list, name, strings.TrimRight(line, "\r\n"))
		}
	}
	return list
}

func (r *reader) pattern(list []*regexp.Regexp, name, v string) []*regexp.Regexp {
	if v == "" {
		return list
	}
	re, err := regexp.Compile(v)
	if err != nil {
		r.bad(name, v, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return list
	}
	return append(list, re)
}

func (r *reader) level(name string) zapcore.Level {
	v := r.choice(name, "debug", "info", "warn", "error")
	level, _ := zapcore.ParseLevel(v) // v is one of these
	return level
}

// checkToggles refuses what the environment gives a toggle that is neither true
// nor false, in our words.
func checkToggles(flags []cli.Flag) error {
	for _, f := range flags {
		b, ok := f.(*cli.BoolFlag)
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
