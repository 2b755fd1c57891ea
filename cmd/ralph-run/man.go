package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *program) manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page, for man -l -",
		Action: func(c *cli.Context) error {
			if err := noWords(c); err != nil {
				return err
			}
			writeManual(p.stdout, c.App)
			return nil
		},
	}
}

// writeManual writes ralph-run(1) from the same tables as --help.
func writeManual(w io.Writer, app *cli.App) {
	fmt.Fprintf(w, ".TH RALPH-RUN 1 \"\" \"ralph-run %s\" \"User Commands\"\n", roff(app.Version))
	fmt.Fprintf(w, ".SH NAME\nralph-run \\- %s\n", roff(app.Usage))
	fmt.Fprint(w, ".SH SYNOPSIS\n.nf\n", roff(usageText), "\n.fi\n")
	fmt.Fprint(w, ".SH DESCRIPTION\n", strings.ReplaceAll(roff(descriptionText), "\n\n", "\n.PP\n"), "\n")
	fmt.Fprint(w, ".SH OPTIONS\n")
	for _, about := range headings {
		fmt.Fprintf(w, ".SS %s\n", roff(about))
		for _, f := range app.Flags {
			if category(f) == about {
				manFlag(w, f)
			}
		}
	}
	fmt.Fprint(w, ".SH SUBCOMMANDS\n")
	for _, c := range app.VisibleCommands() {
		fmt.Fprintf(w, ".SS %s\n%s.\n", roff(strings.TrimSpace(c.Name+" "+c.ArgsUsage)), roff(c.Usage))
		for paragraph := range strings.SplitSeq(c.Description, "\n\n") {
			manParagraph(w, paragraph)
		}
		for _, f := range c.Flags {
			if f.Names()[0] != "help" { // the library gives it to the one that runs
				manFlag(w, f)
			}
		}
	}
	fmt.Fprint(w, ".SH FILES\n.nf\n", roff(filesText), "\n.fi\n")
	fmt.Fprint(w, ".SH ENVIRONMENT\n", roff(environmentText), "\n")
	fmt.Fprint(w, ".SH EXIT STATUS\n.nf\n", roff(exitText), "\n.fi\n")
	fmt.Fprint(w, ".SH EXAMPLES\n.nf\n", roff(examplesText), "\n.fi\n")
}

// manParagraph keeps the lines of an example or a table as they are.
func manParagraph(w io.Writer, text string) {
	switch {
	case text == "":
	case strings.Contains(text, "  "):
		fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(text))
	default:
		fmt.Fprintf(w, ".PP\n%s\n", roff(text))
	}
}

func manFlag(w io.Writer, f cli.Flag) {
	fmt.Fprintf(w, ".TP\n.B %s\n%s", roff(flagSynopsis(f)), roff(flagUsage(f)))
	if name := env(f); name != "" {
		fmt.Fprintf(w, ". Environment: %s.", name)
	}
	fmt.Fprintln(w)
}

// roff quotes a text for a manual page: no line of it is a request, its dashes
// can be copied, and it is ASCII.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "→", `\->`).Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r < 128 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
