package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

const usageText = `ralph-run [flags] [--] COMMAND [ARG…]   run COMMAND under the breaker
ralph-run [flags] SUBCOMMAND [ARG…]     look at the circuit, or change it`

const descriptionText = `A prefix. COMMAND runs as if the prefix were not there, but for its model: a
circuit breaker in a file, shared by all processes, picks it. When the provider
answers "rate limited", the circuit opens and COMMAND runs again at once with
the next model of the chain; after a cooldown the preferred model is tried again.

After -- the rest is COMMAND, even if it is called like a subcommand. Without it,
the first word that is no flag and no subcommand begins COMMAND, and the flags
after that word are COMMAND's.

A link to ralph-run that is called like a client (copilot, claude, codex, gemini,
opencode) and stands before it on PATH runs the client as the prefix would; its
settings come from the environment.`

const examplesText = `ralph-run -- copilot --model claude-sonnet-4.6 -p "fix the tests" --allow-all-tools
while :; do ralph-run -- copilot -p "$(cat PROMPT.md)" --allow-all-tools; sleep 60; done
squad watch --execute --agent-cmd "ralph-run -- copilot --yolo"
ralph-run --prefer claude-opus-4.6 --fallback gpt-5-mini,gpt-4.1 -- copilot -p "…"
ralph-run --dry-run -- copilot -p "…"      which model would run now, and why
ralph-run status                           the circuit, in words
ralph-run explain --exit-code 1 run.log    would this output be a limit, and why`

const exitText = `COMMAND's own status; if a signal ended COMMAND, ralph-run ends by that signal
75   every model is rate limited, or --attempts is used up, and COMMAND ended
     with 0, was ended by ralph-run, or was not started
125  ralph-run's own mistake, or bad usage
126  COMMAND cannot be executed
127  COMMAND was not found`

const filesText = `.squad/ralph-circuit-breaker.json   the circuit and its settings; edit it by hand
.squad/ralph-run.jsonl              what ran, for history; put aside at 10 MiB`

const environmentText = `The name beside a flag is its variable; an empty value is none. NO_COLOR is kept.`

// printHelp writes --help for the program or a subcommand. It stands in for the
// library's templates, which know neither examples nor exit statuses.
func printHelp(w io.Writer, _ string, data any) {
	switch d := data.(type) {
	case *cli.App:
		printAppHelp(w, d)
	case *cli.Command:
		if d.Name == d.HelpName { // the root
			return
		}
		printCommandHelp(w, d)
	}
}

func printAppHelp(w io.Writer, app *cli.App) {
	fmt.Fprintf(w, "%s: %s\n\n", app.Name, app.Usage)
	section(w, "Usage", usageText)
	fmt.Fprintf(w, "%s\n\n", descriptionText)
	section(w, "Examples", examplesText)
	fmt.Fprintln(w, "Subcommands:")
	for _, c := range app.VisibleCommands() {
		fmt.Fprintf(w, "  %-12s %s\n", c.Name, c.Usage)
	}
	fmt.Fprintln(w, "  (ralph-run SUBCOMMAND --help shows its flags)")
	for _, about := range headings {
		fmt.Fprintf(w, "\n%s:\n", about)
		for _, f := range app.Flags {
			if category(f) == about {
				printFlag(w, f)
			}
		}
	}
	fmt.Fprintln(w)
	section(w, "Files", filesText)
	section(w, "Environment", environmentText)
	section(w, "Exit status", exitText)
}

func printCommandHelp(w io.Writer, c *cli.Command) {
	fmt.Fprintf(w, "%s: %s\n\n", c.HelpName, c.Usage)
	section(w, "Usage", strings.TrimSpace(c.HelpName+" [flags] "+c.ArgsUsage))
	if c.Description != "" {
		fmt.Fprintf(w, "%s\n\n", c.Description)
	}
	fmt.Fprintln(w, "Flags:")
	for _, f := range c.VisibleFlags() {
		printFlag(w, f)
	}
	fmt.Fprintln(w, "\nralph-run's own flags, such as --state and --shared, count here too.")
}

func section(w io.Writer, title, text string) {
	fmt.Fprintf(w, "%s:\n  %s\n\n", title, strings.ReplaceAll(text, "\n", "\n  "))
}

func printFlag(w io.Writer, f cli.Flag) {
	line := flagSynopsis(f)
	if name := env(f); name != "" {
		line = fmt.Sprintf("%-34s %s", line, name)
	}
	fmt.Fprintf(w, "  %s\n", line)
	usage := flagUsage(f)
	for line := range strings.SplitSeq(wrap(usage, 72), "\n") {
		fmt.Fprintf(w, "        %s\n", line)
	}
}

// flagSynopsis is a flag with the word for its value.
func flagSynopsis(f cli.Flag) string {
	var names []string
	for _, n := range f.Names() {
		names = append(names, strings.Repeat("-", min(len(n), 2))+n)
	}
	s := strings.Join(names, ", ")
	if d, ok := f.(cli.DocGenerationFlag); ok {
		if value, _ := placeholder(d); value != "" {
			s += " " + value
		}
	}
	return s
}

// flagUsage is what a flag is for, with its default.
func flagUsage(f cli.Flag) string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	_, usage := placeholder(d)
	if s := strings.Trim(d.GetDefaultText(), `"`); d.TakesValue() && s != "" {
		usage += " (default: " + s + ")"
	}
	return usage
}

// wrap breaks a text at blanks.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if n := len([]rune(word)); column > 0 && column+1+n > width {
			b.WriteByte('\n')
			column = 0
		} else if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len([]rune(word))
	}
	return b.String()
}
