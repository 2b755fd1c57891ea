package main

import (
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"
)

// version is set by the linker: -ldflags "-X main.version=v1.2.3".
var version = ""

func newApp(p *program) *cli.App {
	cli.HelpPrinter = printHelp
	return &cli.App{
		Name:     "ralph-run",
		HelpName: "ralph-run",
		Usage:    "run an AI coding CLI under a circuit breaker for its model",
		Version:  programVersion(),
		Compiled: time.Unix(0, 0), // else the library asks the file system
		Writer:   p.stdout, ErrWriter: p.stderr, Reader: p.stdin,

		Flags:                     globalFlags(),
		Commands:                  p.subcommands(),
		Action:                    p.runCommand,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // a pattern may hold a comma
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return usageErrorf("%s", err) },
		ExitErrHandler:            func(*cli.Context, error) {}, // only main exits
	}
}

func (p *program) subcommands() []*cli.Command {
	commands := append([]*cli.Command{p.statusCommand()}, p.circuitCommands()...)
	commands = append(commands, p.historyCommand(), p.explainCommand(), p.doctorCommand(), p.completionCommand(), p.manCommand())
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usageErrorf("%s", err) }
	}
	return commands
}

func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.VisibleCommands() {
		names = append(names, c.Name)
	}
	return names
}

// noWords refuses words after a subcommand that takes none.
func noWords(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	err := usageErrorf("%s: want no words after it", c.Command.Name)
	err.hint = "ralph-run " + c.Command.Name + " --help shows its flags"
	return err
}

// programVersion is what --version shows: the linker's word, or else the
// module's, or else the commit.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "commit " + s.Value[:12]
		}
	}
	return "development"
}
