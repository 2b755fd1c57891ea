package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/detect"
	"github.com/ralph-run/ralph-run/supervisor"
)

// runCommand runs COMMAND under the breaker.
func (p *program) runCommand(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err != nil {
		return err
	}
	if len(p.command) == 0 {
		return &usageError{
			text: "missing command",
			hint: "ralph-run -- copilot -p \"…\"; ralph-run --help shows more",
		}
	}
	logger, flush, err := newLogger(s, p.stderr)
	if err != nil {
		return err
	}
	defer flush()
	cfg := supervisor.Config{
		Command: p.command,
		Env:     p.env,
		Stdin:   p.stdin, Stdout: p.stdout, Stderr: p.stderr,
		Detect:         detectOptions(s),
		PTY:            s.pty,
		Attempts:       s.attempts,
		OnExhausted:    s.onExhausted,
		MaxWait:        s.maxWait,
		Grace:          s.grace,
		Patience:       s.patience,
		Resume:         s.resume,
		AlsoOverloaded: s.alsoOverloaded,
		Logger:         logger,
		Say: func(line string) {
			flush()
			if !s.quiet {
				say(p.stderr, line)
			}
		},
	}
	result, err := supervisor.Run(c.Context, cfg)
	if err != nil {
		return err
	}
	p.end = result.Exit
	if result.Exhausted || result.Limited && result.Exit.Code == 0 && result.Exit.Signal == 0 {
		p.end = supervisor.Exit{Code: statusTempfail}
	}
	return nil
}

func detectOptions(s settings) detect.Options {
	return detect.Options{
		LimitExitCodes: s.limitExitCodes,
		Match:          s.match,
		Ignore:         s.ignore,
		Zone:           time.Local,
	}
}

// startLine words why COMMAND did not start.
func startLine(e *supervisor.StartError) string {
	switch e.Status {
	case 127:
		return fmt.Sprintf("%s: command not found", printable(e.Command))
	default:
		return fmt.Sprintf("%s: %v", printable(e.Command), e.Err)
	}
}
