// Command ralph-run runs an AI coding CLI under a circuit breaker for its model.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/ralph-run/ralph-run/supervisor"
)

func main() {
	run(context.Background(), os.Args).Die()
}

// A program is one invocation of ralph-run.
type program struct {
	env                   []string
	stdin, stdout, stderr *os.File

	given   []string        // the flags on the command line
	command []string        // COMMAND with its arguments, where no subcommand is named
	end     supervisor.Exit // how ralph-run itself is to end
}

// run is the whole program but for its end: it returns how it wants to end.
func run(ctx context.Context, args []string) supervisor.Exit {
	p := &program{env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	own := args[1:]
	if client, ok := shimmed(args[0]); ok {
		return p.ended(p.shim(ctx, client, own))
	}
	return p.ended(p.commandLine(ctx, own))
}

// commandLine does what the arguments say.
func (p *program) commandLine(ctx context.Context, args []string) error {
	app := newApp(p)
	line, err := splitArgs(app, args)
	if err != nil {
		return err
	}
	if err := checkToggles(app.Flags); err != nil {
		return err
	}
	p.given, p.command = line.given, line.command
	return app.RunContext(ctx, append([]string{app.Name}, line.own...))
}

// ended words an error and turns it into an exit status.
func (p *program) ended(err error) supervisor.Exit {
	var usage *usageError
	var start *supervisor.StartError
	switch {
	case err == nil:
		return p.end
	case errors.As(err, &usage):
		say(p.stderr, usage.text)
		if usage.hint != "" {
			say(p.stderr, "hint: "+usage.hint)
		}
	case errors.As(err, &start):
		say(p.stderr, startLine(start))
		var hint *hintError
		if errors.As(err, &hint) {
			say(p.stderr, "hint: "+hint.hint)
		}
		return supervisor.Exit{Code: start.Status}
	default:
		say(p.stderr, err.Error())
	}
	return supervisor.Exit{Code: statusMistake}
}
