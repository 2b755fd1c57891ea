package main

import (
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"
)

// The headings of the flags in --help and the manual page.
const (
	aboutState    = "The state"
	aboutLimits   = "On a limit"
	aboutDetector = "What is a limit"
	aboutRun      = "The run"
)

var headings = []string{aboutState, aboutLimits, aboutDetector, aboutRun}

// globalFlags are ralph-run's own flags. Each can be given in the environment
// too, since hosts that split a command on blanks know no quoting. An empty
// value is the same as none.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		text("state", aboutState, "PATH or URL", "", "where the circuit lives (default: the nearest .squad/ralph-circuit-breaker.json at or above the working directory)"),
		text("state-timeout", aboutState, "DURATION", "2s", "how long a Redis that does not answer may delay a run, in all"),
		toggle("shared", aboutState, "use the user's own file, ~/.squad/ralph-circuit-breaker.json: one circuit for all repositories"),
		text("prefer", aboutState, "MODEL", "", "prefer MODEL for this run, whatever the state says"),
		text("fallback", aboutState, "A,B,C", "", "use this chain for this run; none = no fallback"),
		text("cooldown", aboutState, "DURATION", "", "use this cooldown for this run, such as 10m"),

		text("attempts", aboutLimits, "N", "0", "run COMMAND at most N times; 0 = once for each model"),
		text("on-exhausted", aboutLimits, "fail|wait|try", "fail", "what to do when every model is limited"),
		text("max-wait", aboutLimits, "DURATION", "6h", "how long --on-exhausted wait may wait"),
		text("grace", aboutLimits, "DURATION", "10s", "end an unattended COMMAND that stays silent this long after a final limit notice; 0 = never"),
		text("patience", aboutLimits, "DURATION", "5s", "how long an unattended COMMAND may sit on a limit in retries of its own; 0 = for ever"),
		text("resume", aboutLimits, "auto|never", "auto", "run again in the interrupted session where there is one"),
		text("also", aboutLimits, "overloaded", "", "fall back for this run when the provider is overloaded, too"),

		text("limit-exit-code", aboutDetector, "N,…", defaultLimitExitCode(), "exit statuses that alone mean a limit; none = none"),
		texts("match", aboutDetector, "REGEXP", "a line that matches means a limit; may be repeated"),
		texts("ignore", aboutDetector, "REGEXP", "never look at a line that matches; may be repeated"),

		text("pty", aboutRun, "auto|always|never", "auto", "when COMMAND gets a pseudo-terminal"),
		toggle("dry-run", aboutRun, "show the command line and the model that would run, and why; run nothing"),
		toggle("quiet", aboutRun, "show no lines of ralph-run but errors"),
		text("log-level", aboutRun, "debug|info|warn|error", "warn", "how much to log"),
		text("log-file", aboutRun, "PATH", "", "log to the end of this file instead of to stderr"),
		text("log-format", aboutRun, "console|json", "console", "how to log"),
	}
}

// defaultLimitExitCode is HTTP's 429 as far as it fits into an exit status.
func defaultLimitExitCode() string {
	if runtime.GOOS == "windows" {
		return "429"
	}
	return "173"
}

// placeholder is the word for a flag's value and what the flag is for.
func placeholder(f cli.DocGenerationFlag) (value, usage string) {
	value, usage, found := strings.Cut(strings.TrimPrefix(f.GetUsage(), "`"), "` ")
	if !found {
		return "", f.GetUsage()
	}
	return value, usage
}

// envName is the environment's name of a flag.
func envName(flag string) string {
	return "RALPH_RUN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func text(name, about, value, standard, usage string) cli.Flag {
	return textFlag{&cli.StringFlag{
		Name: name, Category: about, Value: standard, EnvVars: []string{envName(name)},
		Usage: "`" + value + "` " + usage,
	}}
}

func texts(name, about, value, usage string) cli.Flag {
	return textsFlag{&cli.StringSliceFlag{
		Name: name, Category: about, EnvVars: []string{envName(name)},
		Usage: "`" + value + "` " + usage,
	}}
}

func toggle(name, about, usage string) cli.Flag {
	return toggleFlag{&cli.BoolFlag{Name: name, Category: about, EnvVars: []string{envName(name)}, Usage: usage}}
}

// The library's flags find their names with a regular expression, each time they
// are asked, which is several hundred times a start. Ours have one name each.
type (
	textFlag   struct{ *cli.StringFlag }
	textsFlag  struct{ *cli.StringSliceFlag }
	toggleFlag struct{ *cli.BoolFlag }
)

func (f textFlag) Names() []string   { return []string{f.Name} }
func (f textsFlag) Names() []string  { return []string{f.Name} }
func (f toggleFlag) Names() []string { return []string{f.Name} }

// category is the heading that a flag stands under.
func category(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok {
		return c.GetCategory()
	}
	return ""
}

// env is a flag's environment variable, or "".
func env(f cli.Flag) string {
	if d, ok := f.(cli.DocGenerationFlag); ok && len(d.GetEnvVars()) > 0 {
		return d.GetEnvVars()[0]
	}
	return ""
}
