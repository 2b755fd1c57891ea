package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// A commandLine is ralph-run's arguments, cut where its own end.
type commandLine struct {
	own     []string // for the library: flags, then a subcommand with its flags and words
	command []string // COMMAND with its arguments, where no subcommand is named
	given   []string // the names of the flags among own
	dashes  bool     // COMMAND stands after "--"
}

// splitArgs finds the end of ralph-run's own arguments. The library would take
// a COMMAND called like a subcommand for one even after "--", and stops a
// subcommand's flags at its first word; so it only ever sees what is its own,
// flags first.
func splitArgs(app *cli.App, args []string) (commandLine, error) {
	var line commandLine
	for rest := args; len(rest) > 0; {
		switch word := rest[0]; {
		case word == "--":
			line.command, line.dashes = rest[1:], true
			return line, nil
		case !isFlag(word):
			if sub := app.Command(word); sub != nil {
				err := line.splitSubcommand(app, sub, rest[1:])
				return line, err
			}
			line.command = rest
			return line, nil
		}
		n, err := line.flagWidth(app.Flags, rest)
		if err != nil {
			err.hint = "the flags of COMMAND go after it: ralph-run [flags] -- COMMAND [ARG…]"
			return line, err
		}
		line.own, rest = append(line.own, rest[:n]...), rest[n:]
	}
	return line, nil
}

// splitSubcommand puts a subcommand's flags before its words, and ralph-run's
// flags, which count here too, before the subcommand.
func (l *commandLine) splitSubcommand(app *cli.App, sub *cli.Command, rest []string) error {
	var flags, words []string
	for len(rest) > 0 {
		if rest[0] == "--" {
			words = append(words, rest[1:]...)
			break
		}
		if !isFlag(rest[0]) {
			words, rest = append(words, rest[0]), rest[1:]
			continue
		}
		known, dest := slices.Concat(sub.Flags, app.Flags), &l.own
		if name := flagName(rest[0]); name == "help" || name == "h" || find(sub.Flags, name) != nil {
			known, dest = sub.Flags, &flags
		}
		n, err := l.flagWidth(known, rest)
		if err != nil {
			err.hint = "ralph-run " + sub.Name + " --help shows its flags"
			return err
		}
		*dest, rest = append(*dest, rest[:n]...), rest[n:]
	}
	if slices.Contains(l.given, "help") || slices.Contains(l.given, "h") {
		words = nil // the library would take them for what to explain
	}
	l.own = append(append(l.own, sub.Name), flags...)
	l.own = append(append(l.own, "--"), words...)
	return nil
}

// isFlag reports whether a word is a flag. A lone "-" is a word.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// flagName is a flag's name as the library reads it: one dash or two, name[=value].
func flagName(word string) string {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-")
	name, _, _ := strings.Cut(word, "=")
	return name
}

// flagWidth is the number of words that the flag at the head of args takes.
func (l *commandLine) flagWidth(flags []cli.Flag, args []string) (int, *usageError) {
	name := flagName(args[0])
	f := find(flags, name)
	if f == nil {
		return 0, unknownFlag(flags, args[0])
	}
	l.given = append(l.given, name)
	if _, value, given := strings.Cut(args[0], "="); given && isToggle(f) {
		if _, err := strconv.ParseBool(value); err != nil {
			return 0, usageErrorf("--%s %q: want true or false", name, value)
		}
	}
	if isToggle(f) || strings.Contains(args[0], "=") {
		return 1, nil
	}
	if len(args) < 2 || args[1] == "--" {
		return 0, usageErrorf("flag %s needs a value", args[0])
	}
	return 2, nil
}

func isToggle(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && !d.TakesValue()
}

// find looks a flag up, the library's own two included.
func find(flags []cli.Flag, name string) cli.Flag {
	for _, f := range append([]cli.Flag{cli.HelpFlag, cli.VersionFlag}, flags...) {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func unknownFlag(flags []cli.Flag, word string) *usageError {
	word, _, _ = strings.Cut(word, "=")
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	err := usageErrorf("unknown flag %s", printable(word))
	if near := nearest(names, flagName(word)); near != "" {
		err.text += "; did you mean --" + near + "?"
	}
	return err
}

// nearest is the name that a mistyped word is one or two letters off, or "".
func nearest(names []string, word string) string {
	best, near := min(3, (len(word)+1)/2), ""
	for _, name := range names {
		if n := distance(word, name); n < best {
			best, near = n, name
		}
	}
	return near
}

// distance counts the letters to put in, leave out, or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
