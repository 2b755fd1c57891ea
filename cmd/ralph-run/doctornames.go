package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/breaker"
)

// Unknown names are let be, in the state as in the environment: other writers and
// other versions have theirs. So only one that is nearly ours is told of.

// misspelt names the keys of the state that are nearly a setting's.
func (e *examination) misspelt(doc *breaker.Document, file string) {
	for _, key := range doc.UnknownKeys() {
		if near := nearest(breaker.SettingKeys(), key); near != "" {
			e.note("state", "did you mean "+near+"?", "%s: the key %s sets nothing", file, key)
		}
	}
}

// variables names those of the environment that are nearly a flag's. Their values
// may be secret.
func (e *examination) variables(flags []cli.Flag) {
	var known []string
	for _, f := range flags {
		known = append(known, env(f))
	}
	for _, v := range e.env {
		name, value, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, envName("")) || value == "" {
			continue
		}
		if near := nearest(known, name); near != "" && near != name {
			e.note("variable", "did you mean "+near+"?", "%s sets nothing", name)
		}
	}
}
