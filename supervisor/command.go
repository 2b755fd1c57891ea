package supervisor

import (
	"slices"
	"strings"
)

// A CommandLine is a user's command as far as its model, prompt and session are
// concerned. It is a value: its methods return new command lines and never
// change the one they are called on. It knows options by their names only, so
// it takes every word up to the child's own "--" for what it looks like.
type CommandLine struct {
	argv  []string
	name  string // of the client, "" = unknown
	at    int    // place of its name in argv
	spec  client
	words []word // the arguments after the name
}

// A word is one argument, seen with those around it.
type word struct {
	kind  wordKind
	value string // of modelJoined, promptJoined
}

type wordKind int

const (
	plain        wordKind = iota
	modelOption           // --model, whose value is the next word
	modelValue            //
	modelJoined           // --model=X
	promptOption          // -p, whose value is the next word
	promptValue           //
	promptJoined          // --prompt=X
	afterDash             // behind the child's own "--", or that itself
)

// ParseCommand reads a command line.
func ParseCommand(argv []string) CommandLine {
	c := CommandLine{argv: argv, spec: unknown}
	c.name, c.at = clientAt(argv)
	if c.name != "" {
		c.spec = clients[c.name]
	}
	if len(argv) > 0 {
		c.words = c.spec.classify(argv[c.at+1:])
	}
	return c
}

// classify tells of each argument what it is.
func (s client) classify(args []string) []word {
	words := make([]word, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			for ; i < len(args); i++ {
				words[i].kind = afterDash
			}
			break
		}
		words[i] = s.option(args[i])
		if next := i + 1; next < len(args) {
			switch words[i].kind {
			case modelOption:
				if strings.HasPrefix(args[next], "-") {
					continue // the value is missing; the child says so
				}
				words[next].kind = modelValue
				i++
			case promptOption:
				words[next].kind = promptValue
				i++
			}
		}
	}
	return words
}

// option tells what one argument is by itself.
func (s client) option(arg string) word {
	if !strings.HasPrefix(arg, "-") || arg == "-" {
		return word{}
	}
	if name, value, joined := strings.Cut(arg, "="); joined {
		switch {
		case slices.Contains(s.model, name):
			return word{modelJoined, value}
		case slices.Contains(s.prompt, name):
			return word{promptJoined, value}
		}
	}
	switch {
	case slices.Contains(s.model, arg):
		return word{kind: modelOption}
	case slices.Contains(s.prompt, arg):
		return word{kind: promptOption}
	}
	if s.glued && strings.HasPrefix(arg, "-m") {
		return word{modelJoined, arg[len("-m"):]}
	}
	return s.cluster(arg)
}

// cluster reads short options that stand together, such as -sp and -pTEXT.
func (s client) cluster(arg string) word {
	if strings.HasPrefix(arg, "--") {
		return word{}
	}
	for i := 1; i < len(arg); i++ {
		short, rest := "-"+arg[i:i+1], arg[i+1:]
		switch {
		case slices.Contains(s.prompt, short) && rest == "":
			return word{kind: promptOption}
		case slices.Contains(s.prompt, short):
			return word{promptJoined, rest}
		case strings.IndexByte(s.shorts, arg[i]) < 0:
			return word{}
		}
	}
	return word{}
}

// Client returns the known CLI that the command runs, such as "copilot", or ""
// if it is not known.
func (c CommandLine) Client() string { return c.name }

// Model returns the model that the command names, or "". The last one counts; a
// place for "{model}" is no name.
func (c CommandLine) Model() string {
	if m := c.lastModel(); !strings.Contains(m, "{model}") {
		return m
	}
	return ""
}

func (c CommandLine) lastModel() string {
	for i, w := range slices.Backward(c.words) {
		switch w.kind {
		case modelValue:
			return c.argv[c.at+1+i]
		case modelJoined:
			return w.value
		}
	}
	return ""
}

// Prompt returns the prompt on the command line, or "".
func (c CommandLine) Prompt() string {
	for i, w := range slices.Backward(c.words) {
		switch w.kind {
		case promptValue:
			return c.argv[c.at+1+i]
		case promptJoined:
			return w.value
		}
	}
	if c.name == "" || c.name == "copilot" {
		return "" // a word by itself is no prompt
	}
	for i, w := range slices.Backward(c.words) {
		if arg := c.argv[c.at+1+i]; (w.kind == plain || w.kind == afterDash) && isProse(arg) {
			return arg
		}
	}
	return ""
}

// isProse reports an argument that reads like a prompt and not like an option
// or the value of one.
func isProse(arg string) bool {
	return !strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, " \t\n")
}

// HasPrompt reports a run that ends by itself: it was given its prompt and
// waits for no person.
func (c CommandLine) HasPrompt() bool {
	found := c.runs()
	for i, w := range c.words {
		arg := c.argv[c.at+1+i]
		switch w.kind {
		case plain:
			found = found || slices.Contains(c.spec.print, arg)
		case promptOption, promptJoined:
			name, _, _ := strings.Cut(arg, "=")
			if slices.Contains(endless, name) || strings.HasPrefix(name, "-i") {
				return false
			}
			found = true
		}
	}
	return found
}

// PassThrough reports a command that is no run under a model: a server of an
// editor's protocol, a question for version or help, a subcommand such as
// "login".
func (c CommandLine) PassThrough() bool {
	for i, w := range c.words {
		if w.kind != plain {
			continue
		}
		switch c.argv[c.at+1+i] {
		case "--acp", "--version", "--help":
			return true
		case "--server", "-v", "-V", "-h":
			if c.name != "" {
				return true
			}
		}
	}
	return slices.Contains(c.spec.other, c.subcommand())
}

// subcommand returns the first argument, options that carry their value with
// them left out.
func (c CommandLine) subcommand() string {
	for i, w := range c.words {
		arg := c.argv[c.at+1+i]
		switch {
		case w.kind == modelOption, w.kind == modelValue, w.kind == modelJoined:
		case w.kind == plain && strings.HasPrefix(arg, "--") && strings.Contains(arg, "="):
		case w.kind == plain:
			return arg
		default:
			return ""
		}
	}
	return ""
}

// runs reports a subcommand that runs a model and ends by itself.
func (c CommandLine) runs() bool {
	for i, w := range c.words {
		switch arg := c.argv[c.at+1+i]; {
		case w.kind == plain && slices.Contains(c.spec.command, arg):
			return true
		case w.kind == plain && isProse(arg), w.kind == afterDash:
			return false
		}
	}
	return false
}

// With returns the command line that runs with model: every model option
// before the child's own "--" gets it, and "{model}" is replaced; a known CLI
// that names no model gets the option right after its name. The values of
// prompt options are never changed. Any other command that names no model
// comes back as it is.
func (c CommandLine) With(model string) []string {
	out := slices.Clone(c.argv)
	named := false
	for i, w := range c.words {
		arg := &out[c.at+1+i]
		switch w.kind {
		case modelOption:
			named = true
		case modelValue:
			*arg = model
		case modelJoined:
			named = true
			name, _, _ := strings.Cut(*arg, "=")
			if !slices.Contains(c.spec.model, name) {
				name = "-m" // -mX
			}
			*arg = name + "=" + model
		case plain, afterDash:
			*arg = c.fill(*arg, model)
		}
	}
	for i := range out[:min(c.at+1, len(out))] {
		out[i] = strings.ReplaceAll(out[i], "{model}", model)
	}
	if named || c.name == "" || c.at > 0 {
		return out
	}
	return slices.Insert(out, 1, "--model", model)
}

// fill puts the model in for "{model}". A known CLI's argument with blanks in it
// is prose, most likely the prompt, and stays.
func (c CommandLine) fill(arg, model string) string {
	if c.name != "" && strings.ContainsAny(arg, " \t\n") {
		return arg
	}
	return strings.ReplaceAll(arg, "{model}", model)
}
