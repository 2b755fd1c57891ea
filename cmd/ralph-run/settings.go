package main

import (
	"regexp"
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
	state        string // as given; "" = look for it
	shared       bool
	stateTimeout time.Duration

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
		cooldown: r.positive("cooldown"),

		stateTimeout: r.positive("state-timeout"),

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
		if f, ok := f.(textFlag); ok && f.Name == name {
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

// positive reads a duration that is none or more than nothing.
func (r *reader) positive(name string) time.Duration {
	d := r.duration(name)
	if v := r.text(name); v != "" && d == 0 {
		r.bad(name, v, "want more than 0")
	}
	return d
}

func (r *reader) model(name string) string {
	v := r.c.String(name)
	if err := checkModel(v); v != "" && err != nil {
		r.bad(name, v, err.Error())
	}
	return v
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
