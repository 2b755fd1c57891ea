package main

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// clientPatience bounds what doctor asks a client.
const clientPatience = 20 * time.Second

// client looks for the real copilot and returns the models it names, if any.
func (e *examination) client(ctx context.Context) []string {
	first, err := exec.LookPath("copilot")
	if err != nil {
		e.note("copilot", "npm install -g @github/copilot, or give the full path of another client", "copilot is not on PATH")
		return nil
	}
	path, err := behind("copilot", e.env)
	if err != nil {
		e.broken("copilot", "npm install -g @github/copilot", "%s is ralph-run's link, and no copilot stands behind it on PATH", first)
		return nil
	}
	out, err := ask(ctx, path, "--version")
	if err != nil {
		e.broken("copilot", "run "+path+" --version", "%s does not say its version: %v", path, err)
		return nil
	}
	version, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	e.ok("copilot", "%s: %s", path, version)
	if first != path {
		e.ok("shim", "%s is ralph-run, called instead of it", first)
	}
	out, err = ask(ctx, path, "help", "config")
	if err != nil {
		return nil
	}
	return modelsOf(out)
}

// ask runs a client that needs no account for its answer.
func ask(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return string(out), err
}

var quotedModel = regexp.MustCompile(`^\s*- "([^"]+)"$`)

// modelsOf reads the list of models from copilot's help on its settings.
func modelsOf(help string) []string {
	var list []string
	inside := false
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\r\n")
		if m := quotedModel.FindStringSubmatch(line); inside && m != nil {
			list = append(list, m[1])
		} else {
			inside = strings.HasPrefix(strings.TrimSpace(line), "`model`:")
		}
	}
	return list
}

// chain compares the state's models with those that the client names.
func (e *examination) chain(d *breaker.Document, known []string) {
	models := append([]string{d.PreferredModel}, d.FallbackChain...)
	if len(d.FallbackChain) == 0 {
		e.note("chain", `add models to "fallbackChain"`, "nothing to fall back to from %s", d.PreferredModel)
	}
	var unknown []string
	for _, m := range models {
		if len(known) > 0 && !slices.Contains(known, m) {
			unknown = append(unknown, m)
		}
	}
	switch {
	case len(unknown) > 0:
		e.note("chain", "check the names with /model in copilot; an account may have more models than the client names", "copilot does not name %s", strings.Join(unknown, ", "))
	case len(known) > 0:
		e.ok("chain", "copilot names every model: %s", strings.Join(models, ", "))
	default:
		e.ok("chain", "%s", strings.Join(models, " → "))
	}
}
