package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestReadmeIsTrue holds that README.md names no flag, variable, subcommand or
// exit status that there is not.
func TestReadmeIsTrue(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(&program{})
	var flags, variables, subcommands []string
	for _, f := range app.Flags {
		flags, variables = append(flags, "--"+f.Names()[0]), append(variables, env(f))
	}
	for _, c := range app.Commands {
		subcommands = append(subcommands, c.Name)
		for _, f := range c.Flags {
			flags = append(flags, "--"+f.Names()[0])
		}
	}
	flags = append(flags, "--help", "--version", "--acp", "--server", "--model", "--resume", "--continue", "--session-id")
	variables = append(variables, "RALPH_RUN_MODEL", "RALPH_RUN_ACTIVE")
	for _, check := range []struct {
		what, pattern string
		known         []string
	}{
		{"flag", "`(--[a-z][a-z-]*)", flags}, // elsewhere it may be a client's
		{"variable", `\b(RALPH_RUN_[A-Z_]+)`, variables},
		{"subcommand", "`ralph-run ([a-z]+)", subcommands},
	} {
		found := regexp.MustCompile(check.pattern).FindAllStringSubmatch(string(readme), -1)
		if len(found) == 0 {
			t.Errorf("README.md names no %s", check.what)
		}
		for _, m := range found {
			if !slices.Contains(check.known, m[1]) {
				t.Errorf("README.md names the %s %s, which there is not", check.what, m[1])
			}
		}
	}
	for line := range strings.Lines(exitText) {
		if status := strings.Fields(line)[0]; status[0] >= '0' && status[0] <= '9' && !strings.Contains(string(readme), "| "+status+" |") {
			t.Errorf("README.md's table has no row for exit status %s", status)
		}
	}
}

// TestHelpNamesEverything holds that nothing that can be given is left out of
// the help and the manual page.
func TestHelpNamesEverything(t *testing.T) {
	app := newApp(&program{})
	app.Setup()
	var help, manual strings.Builder
	printAppHelp(&help, app)
	writeManual(&manual, app)
	page := strings.ReplaceAll(manual.String(), `\-`, "-")
	check := func(f cli.Flag, text, where string) {
		if name := "--" + f.Names()[0]; !strings.Contains(text, name) {
			t.Errorf("%s says nothing of %s", where, name)
		}
	}
	for _, f := range app.Flags {
		if name := f.Names()[0]; name != "help" && name != "version" {
			check(f, help.String(), "the help")
			check(f, page, "the manual page")
		}
	}
	for _, c := range app.VisibleCommands() {
		var help strings.Builder
		printCommandHelp(&help, c)
		for _, f := range c.Flags {
			check(f, help.String(), "the help of "+c.Name)
			check(f, page, "the manual page")
		}
	}
}

// TestContrib holds that every command line of the PowerShell functions is one
// that ralph-run takes, and that there is always a model.
func TestContrib(t *testing.T) {
	script, err := os.ReadFile("../../contrib/ralph-circuit-breaker-functions.ps1")
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state.json")
	lines := regexp.MustCompile(`(?m)^[^#\n]*\bralph-run (--state \$StateFile [^|)\n]+)`).FindAllStringSubmatch(string(script), -1)
	if len(lines) != 4 {
		t.Errorf("the script calls ralph-run in %d lines, want 4", len(lines))
	}
	for range 5 { // until every model is limited
		for _, m := range lines {
			args := strings.Fields(strings.ReplaceAll(m[1], "$StateFile", state))
			switch {
			case slices.Contains(args, "init") && exists(state):
				continue
			case slices.Contains(args, "limit"):
				args = append(args, "--reset", "1h") // only a stated one takes every model away
			}
			stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
			if err != nil {
				t.Fatal(err)
			}
			defer stdout.Close()
			p := &program{env: os.Environ(), stdin: os.Stdin, stdout: stdout, stderr: os.Stderr}
			if end := p.ended(p.commandLine(context.Background(), args)); end.Code != 0 {
				t.Errorf("ralph-run %s: status %d", strings.Join(args, " "), end.Code)
			}
			if shown, err := os.ReadFile(stdout.Name()); err != nil || slices.Contains(args, "model") && len(shown) == 0 {
				t.Errorf("ralph-run %s: no model, %v", strings.Join(args, " "), err)
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
