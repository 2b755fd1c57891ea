package main

import (
	"os"
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
