package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
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
	if err := p.mistyped(c.App); err != nil {
		return err
	}
	logger, flush, err := newLogger(s, p.stderr)
	if err != nil {
		return err
	}
	defer flush()
	if err := p.deeper(); err != nil {
		return err
	}
	p.command = unshimmed(p.command, p.env)
	line := supervisor.ParseCommand(p.command)
	if line.PassThrough() && s.pty == supervisor.PTYAuto && !s.dryRun {
		flush()
		if err = supervisor.Replace(p.command, p.env); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	st, err := p.openForRun(s, line, logger)
	if err != nil {
		return err
	}
	defer st.close()
	if s.dryRun {
		return p.dryRun(c.Context, st, line)
	}
	cfg := p.config(s, logger, flush)
	cfg.Circuit = st.circuit
	cfg.Record = func(r supervisor.Record) {
		if err := st.addRecord(c.Context, newRecord(r, line.Client())); err != nil {
			logger.Info("record is lost", zap.Error(err))
		}
	}
	if !line.PassThrough() {
		fromState(c.Context, st, line, &cfg.Detect, logger)
	}
	result, err := supervisor.Run(c.Context, cfg)
	if err != nil {
		return err
	}
	p.end = result.Exit
	if result.Exhausted || result.Limited && result.Exit == (supervisor.Exit{}) {
		p.end = supervisor.Exit{Code: supervisor.TempFail}
	}
	return nil
}

// openForRun opens the state for a run of COMMAND. Where there is none yet, it
// is to be made for COMMAND's own model, and without the default chain for
// another client than copilot, whose models that chain names.
func (p *program) openForRun(s settings, line supervisor.CommandLine, logger *zap.Logger) (*state, error) {
	place, err := statePlace(s)
	var usage *usageError
	if err != nil && !errors.As(err, &usage) { // nothing but a mistake keeps COMMAND from running
		logger.Warn(err.Error() + "; the repository's own state is used")
		place, err = localPlace()
	}
	if err != nil {
		return nil, err
	}
	opts := circuitOptions(s)
	opts.Jitter = rand.Float64()
	opts.SeedPreferred = line.Model()
	if foreignChain(line) {
		opts.SeedFallback = []string{}
	}
	return openState(s, place, opts, func(n breaker.Notice) {
		if n.Warning {
			logger.Warn(n.Text)
		} else {
			logger.Info(n.Text)
		}
	})
}

// foreignChain reports a client for which the default chain names no models.
func foreignChain(line supervisor.CommandLine) bool {
	return line.Client() != "" && line.Client() != "copilot"
}

// fromState takes over the detector's patterns that stand in the state, and
// warns of a state that is about to be made without a chain, and of values in it
// that are not used as they stand. A state that cannot be read has no patterns;
// the run itself reports it.
func fromState(ctx context.Context, st *state, line supervisor.CommandLine, opts *detect.Options, logger *zap.Logger) {
	d, err := st.view(ctx)
	if err != nil {
		return
	}
	if d.Fresh() && foreignChain(line) {
		logger.Warn(`the state is new and has nothing to fall back to: add models to "fallbackChain"`,
			zap.String("state", st.place), zap.String("client", line.Client()))
	}
	for _, w := range d.Warnings {
		if !w.Minor {
			logger.Warn("state: " + w.String())
		}
	}
	compile := func(to []*regexp.Regexp, key string, patterns []string) []*regexp.Regexp {
		for _, pattern := range patterns {
			re, err := regexp.Compile(pattern)
			if err != nil {
				logger.Warn("a pattern in the state is ignored", zap.String("key", key), zap.Error(err))
				continue
			}
			to = append(to, re)
		}
		return to
	}
	opts.Match = compile(opts.Match, "match", d.Match)
	opts.Ignore = compile(opts.Ignore, "ignore", d.Ignore)
}

func (p *program) config(s settings, logger *zap.Logger, flush func()) supervisor.Config {
	return supervisor.Config{
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
		Chosen:         s.prefer != "",
		Logger:         logger,
		Say: func(line string) {
			flush()
			if !s.quiet {
				say(p.stderr, line)
			}
		},
		Countdown: countdown(s, p.stderr),
	}
}

func detectOptions(s settings) detect.Options {
	return detect.Options{
		LimitExitCodes: s.limitExitCodes,
		Match:          s.match,
		Ignore:         s.ignore,
		Zone:           time.Local,
	}
}

// mistyped helps whoever took a word for a subcommand, or mistyped one, before
// anything is made for it.
func (p *program) mistyped(app *cli.App) error {
	word := p.command[0]
	if p.dashes || strings.ContainsAny(word, `/\`) {
		return nil
	}
	hint := ""
	if near := nearest(commandNames(app), word); near != "" {
		hint = "did you mean ralph-run " + near + "?"
	}
	if word == "help" || word == "version" {
		hint = "ralph-run --" + word
	}
	if _, err := exec.LookPath(word); hint == "" || err == nil {
		return nil
	}
	return &hintError{&supervisor.StartError{Command: word, Status: 127, Err: exec.ErrNotFound}, hint}
}

// startLine words why COMMAND did not start.
func startLine(e *supervisor.StartError) string {
	if e.Status == 127 {
		return fmt.Sprintf("%s: command not found", printable(e.Command))
	}
	cause := e.Err
	for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
		cause = next // the innermost: what the system said
	}
	return fmt.Sprintf("%s: cannot be executed: %v", printable(e.Command), cause)
}
