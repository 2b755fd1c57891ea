package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ralph-run/ralph-run/supervisor"
)

// dryRun shows what would run now, and why, and changes nothing.
func (p *program) dryRun(ctx context.Context, st *state, line supervisor.CommandLine) error {
	if line.PassThrough() {
		fmt.Fprintf(p.stdout, "command: %s\nwhy:     it is no run under a model: it is passed straight through\n", quoteWords(p.command))
		return nil
	}
	a, err := st.circuit.Peek(ctx, nil)
	if a.Model == "" {
		return p.exhausted(err)
	}
	if err != nil {
		say(p.stderr, "warn: "+err.Error())
	}
	fmt.Fprintf(p.stdout, "command: %s\nmodel:   %s (%s)\nwhy:     %s\nstate:   %s\n",
		quoteWords(line.With(a.Model)), printable(a.Model), a.Role, a.Why, st.inUse(ctx))
	return nil
}

// quoteWords shows a command line as a POSIX shell reads it.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%^"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
