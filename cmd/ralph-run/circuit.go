package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/breaker"
)

// The commands that a loop or a person uses on the circuit itself.

func (p *program) circuitCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "model", Usage: "print the model to use now, for a loop that calls the client itself",
			Description: `A loop that calls the client itself asks for the model before, and records how it
went after:

  model=$(ralph-run model) || continue        # 75: every model is limited
  if copilot --model "$model" -p "…" 2>errors; then
    ralph-run record success --model "$model"
  elif grep -qi "rate limit" errors; then
    ralph-run record limit --model "$model"
  fi

When --model is not given, the two belong together by the shell that calls both.
ralph-run -- copilot … does all of that, and knows a limit when it sees one.`,
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "peek", Usage: "change nothing: begin no test of the preferred model"}},
			Action: p.printModel,
		},
		{
			Name: "record", Usage: "record how a call of the client went", ArgsUsage: "success|limit",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "model", Usage: "`MODEL` that was called (not given: the one that model printed to the same shell)"},
				&cli.StringFlag{Name: "reset", Usage: "`TIME` when the limit ends, or in how long, such as 30m"},
			},
			Action: p.record,
		},
		{
			Name: "trip", Usage: "open the circuit by hand",
			Flags:  []cli.Flag{&cli.StringFlag{Name: "for", Usage: "`DURATION` until recovery is tried (not given: the cooldown)"}},
			Action: p.trip,
		},
		{Name: "reset", Usage: "close the circuit by hand, and forget every known limit", Action: p.reset},
		{
			Name: "init", Usage: "write a new state file",
			Description: `Writes the state file with the template's defaults, or what --prefer, --fallback
and --cooldown say. People change it afterwards by editing it.`,
			Action: p.initState,
		},
	}
}

// circuit opens the circuit for one of these commands. Commands of one loop
// share their parent, and so a lease. Where the model is named as well, they may
// be any loop's on this machine: a CI job's steps each have a shell of their own.
func (p *program) circuit(c *cli.Context, words int) (*state, settings, error) {
	s, err := p.readSettings(c)
	if err != nil {
		return nil, s, err
	}
	if c.NArg() != words {
		err := usageErrorf("%s: want %s", c.Command.Name, wantWords(c.Command))
		err.hint = "ralph-run " + c.Command.Name + " --help shows its flags"
		return nil, s, err
	}
	if err := notDry(c, s); c.Command.Name != "model" && err != nil {
		return nil, s, err
	}
	place, err := statePlace(s)
	if err != nil {
		return nil, s, err
	}
	opts := circuitOptions(s)
	host, _ := os.Hostname()
	if opts.Holder = host + ":loop"; c.String("model") == "" {
		// A shell runs its last command in its own place: then it was what we are.
		opts.FormerHolder = fmt.Sprintf("%s/%d", opts.Holder, os.Getpid())
		opts.Holder += fmt.Sprintf("/%d", os.Getppid())
	}
	st, err := openState(s, place, opts, p.notice)
	if err != nil {
		return nil, s, err
	}
	return st, s, nil
}

// notDry refuses a command that would change the state although nothing is to
// be done.
func notDry(c *cli.Context, s settings) error {
	if s.dryRun {
		return usageErrorf("%s: not with --dry-run, which changes nothing", c.Command.Name)
	}
	return nil
}

func wantWords(c *cli.Command) string {
	if c.ArgsUsage == "" {
		return "no words after it"
	}
	return strings.ReplaceAll(c.ArgsUsage, "|", " or ")
}

func (p *program) printModel(c *cli.Context) error {
	st, s, err := p.circuit(c, 0)
	if err != nil {
		return err
	}
	get := st.circuit.Acquire
	if c.Bool("peek") || s.dryRun {
		get = st.circuit.Peek
	}
	a, err := get(c.Context, nil)
	if a.Model == "" {
		return p.exhausted(err)
	}
	if err != nil { // the state cannot be kept; the model is good all the same
		say(p.stderr, "warn: "+err.Error())
	}
	_, err = fmt.Fprintln(p.stdout, a.Model)
	return err
}

func (p *program) record(c *cli.Context) error {
	st, s, err := p.circuit(c, 1)
	if err != nil {
		return err
	}
	out := breaker.Outcome{Kind: breaker.Kind(c.Args().First()), Scope: breaker.ScopeUnknown}
	if out.Kind != breaker.Success && out.Kind != breaker.Limit {
		return usageErrorf("record %q: want success or limit", out.Kind)
	}
	if m := c.String("model"); m != "" {
		if err := checkModel(m); err != nil {
			return usageErrorf("--model %q: %v", m, err)
		}
	}
	if out.Until, err = readReset(c.String("reset"), time.Now()); err != nil {
		return err
	}
	if !out.Until.IsZero() && out.Kind == breaker.Success {
		return usageErrorf("--reset %q: a success has no reset", c.String("reset"))
	}
	ch, err := st.circuit.Record(c.Context, c.String("model"), out)
	if err != nil {
		return err
	}
	if m := c.String("model"); m != "" {
		if d, err := st.view(c.Context); err == nil {
			p.unknownModel(d, s, m)
		}
	}
	return p.tell(c, st, s, ch)
}

// unknownModel warns of a model that the circuit does not choose from.
func (p *program) unknownModel(d *breaker.Document, s settings, model string) {
	known := append(append([]string{d.PreferredModel, s.prefer}, d.FallbackChain...), s.fallback...)
	if !slices.Contains(known, model) {
		say(p.stderr, fmt.Sprintf("warn: %s is neither the preferred model nor in the chain: the circuit stays as it is", printable(model)))
	}
}

// readReset reads when a limit ends: a moment, or how long from now.
func readReset(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseDuration(s); err == nil {
		return now.Add(d), nil
	}
	t, err := parseTime(s)
	if err != nil {
		return t, usageErrorf("--reset %q: want a time such as 2026-03-18T10:00:00Z, or a duration such as 30m", s)
	}
	return t, nil
}

func (p *program) trip(c *cli.Context) error {
	st, s, err := p.circuit(c, 0)
	if err != nil {
		return err
	}
	length := time.Duration(0)
	if v := c.String("for"); v != "" {
		if length, err = parseDuration(v); err != nil {
			return usageErrorf("--for %q: %v", v, err)
		}
	}
	ch, err := st.circuit.Trip(c.Context, length)
	if err != nil {
		return err
	}
	return p.tell(c, st, s, ch)
}

func (p *program) reset(c *cli.Context) error {
	st, s, err := p.circuit(c, 0)
	if err != nil {
		return err
	}
	ch, err := st.circuit.Reset(c.Context)
	if err != nil {
		return err
	}
	return p.tell(c, st, s, ch)
}

// tell records what was done by hand, and says what the circuit is now and what
// the next run gets.
func (p *program) tell(c *cli.Context, st *state, s settings, ch breaker.Change) error {
	next, err := st.circuit.Peek(c.Context, nil)
	rec := handRecord(c, next.Circuit, ch)
	if err := st.addRecord(c.Context, rec); err != nil {
		say(p.stderr, "warn: "+err.Error())
	}
	if s.quiet {
		return nil
	}
	line := fmt.Sprintf("%s: ", ch.To)
	if ch.From != ch.To {
		line = fmt.Sprintf("%s → %s: ", ch.From, ch.To)
	}
	if next.Model == "" && err != nil {
		line += exhaustedLine(err, time.Now())
	} else {
		line += fmt.Sprintf("the next run gets %s, %s", next.Model, next.Why)
	}
	fmt.Fprintln(p.stdout, line)
	return nil
}

func (p *program) initState(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err != nil {
		return err
	}
	if c.NArg() > 0 {
		return usageErrorf("init: want no words after it; the models are given by --prefer and --fallback")
	}
	if err := notDry(c, s); err != nil {
		return err
	}
	place := s.state
	if place == "" && !s.shared {
		place = filepath.Join(breaker.StateFolder, breaker.StateFile) // here, whatever lies above
	} else if place, err = statePlace(s); err != nil {
		return err
	}
	st, err := openState(s, place, breaker.Options{SeedPreferred: s.prefer, SeedFallback: s.fallback}, p.notice)
	if err != nil {
		return err
	}
	d, _, err := st.store.View(c.Context)
	if err != nil {
		return err
	}
	if !d.Fresh() {
		return &usageError{text: fmt.Sprintf("init: %s exists", st.place), hint: "edit it, or remove it first; ralph-run status shows it"}
	}
	if _, err := st.circuit.Acquire(c.Context, nil); err != nil {
		return err
	}
	if s.cooldown > 0 {
		err = st.store.Update(c.Context, func(d *breaker.Document, _ time.Time) error {
			d.CooldownMinutes = s.cooldown.Minutes()
			return nil
		})
	}
	if err == nil && !s.quiet {
		fmt.Fprintf(p.stdout, "wrote %s\n", st.place)
	}
	return err
}
