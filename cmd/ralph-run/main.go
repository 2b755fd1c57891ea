// Command ralph-run runs an AI coding CLI under a circuit breaker for its model.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/ralph-run/ralph-run/breaker"
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
	dashes  bool            // COMMAND stands after "--"
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
	p.given, p.command, p.dashes = line.given, line.command, line.dashes
	return app.RunContext(ctx, append([]string{app.Name}, line.own...))
}

// ended words an error, says what to do about it, and turns it into an exit
// status.
func (p *program) ended(err error) supervisor.Exit {
	if err == nil {
		return p.end
	}
	status, line := statusMistake, err.Error()
	var start *supervisor.StartError
	if errors.As(err, &start) {
		status, line = start.Status, startLine(start)
	}
	say(p.stderr, line)
	if hint := hintOf(err); hint != "" {
		say(p.stderr, "hint: "+hint)
	}
	return supervisor.Exit{Code: status}
}

// hintOf is what to do about an error, or "".
func hintOf(err error) string {
	var usage *usageError
	var hint *hintError
	var store *breaker.StoreError
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &hint):
		return hint.hint
	case errors.As(err, &store):
		return "ralph-run doctor says what to do; --state names another place"
	}
	return ""
}
