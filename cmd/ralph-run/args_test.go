package main

import (
	"slices"
	"strings"
	"testing"
)

var splitTests = []struct {
	name string
	in   string // words, blanks between
	own  string
	cmd  string
	err  string
}{
	{name: "nothing"},
	{name: "command", in: "copilot -p x", cmd: "copilot -p x"},
	{name: "dashes", in: "-- copilot -p x", cmd: "copilot -p x"},
	{name: "flag, command", in: "--quiet copilot --quiet", own: "--quiet", cmd: "copilot --quiet"},
	{name: "value, command", in: "--state s copilot --state t", own: "--state s", cmd: "copilot --state t"},
	{name: "joined value", in: "--state=s copilot", own: "--state=s", cmd: "copilot"},
	{name: "one dash", in: "-state s copilot", own: "-state s", cmd: "copilot"},
	{name: "value like a subcommand", in: "--state status copilot", own: "--state status", cmd: "copilot"},
	{name: "value like a flag", in: "--match --quiet copilot", own: "--match --quiet", cmd: "copilot"},
	{name: "dashes, subcommand", in: "-- status --json", cmd: "status --json"},
	{name: "dashes twice", in: "-- -- x", cmd: "-- x"},
	{name: "command's own dashes", in: "copilot -- x", cmd: "copilot -- x"},
	{name: "lone dash", in: "- x", cmd: "- x"},
	{name: "subcommand", in: "status", own: "status --"},
	{name: "subcommand's flags after words", in: "status a --json b", own: "status --json -- a b"},
	{name: "our flags after a subcommand", in: "status --json --state s a", own: "--state s status --json -- a"},
	{name: "dashes after a subcommand", in: "explain -- --json", own: "explain -- --json"},
	{name: "help of a subcommand", in: "status --help", own: "status --help --"},
	{name: "value of a subcommand's flag", in: "explain --command status f", own: "explain --command status -- f"},
	{name: "unknown flag", in: "--bogus x", err: "unknown flag --bogus"},
	{name: "unknown flag with value", in: "--bogus=secret x", err: "unknown flag --bogus"},
	{name: "unknown subcommand flag", in: "status --bogus", err: "unknown flag --bogus"},
	{name: "no value", in: "--state", err: "flag --state needs a value"},
	{name: "dashes for a value", in: "--state -- x", err: "flag --state needs a value"},
}

func TestSplitArgs(t *testing.T) {
	for _, tt := range splitTests {
		t.Run(tt.name, func(t *testing.T) {
			line, err := splitArgs(newApp(&program{}), strings.Fields(tt.in))
			if err != nil || tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) || strings.Contains(err.Error(), "secret") {
					t.Fatalf("splitArgs(%q): error %v, want %q", tt.in, err, tt.err)
				}
				return
			}
			if own, cmd := strings.Join(line.own, " "), strings.Join(line.command, " "); own != tt.own || cmd != tt.cmd {
				t.Errorf("splitArgs(%q) = %q, %q; want %q, %q", tt.in, own, cmd, tt.own, tt.cmd)
			}
		})
	}
}

// FuzzSplitArgs holds that no word is lost, and that COMMAND's are an unchanged
// end of the line.
func FuzzSplitArgs(f *testing.F) {
	for _, tt := range splitTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		args := strings.Split(in, " ")
		before := slices.Clone(args)
		line, err := splitArgs(newApp(&program{}), args)
		if !slices.Equal(args, before) {
			t.Fatalf("splitArgs(%q) changed its argument to %q", before, args)
		}
		if err != nil {
			return
		}
		if n := len(args) - len(line.command); !slices.Equal(args[n:], line.command) {
			t.Fatalf("splitArgs(%q): command %q is not the end", args, line.command)
		}
		for _, word := range args[:len(args)-len(line.command)] {
			if word != "--" && !slices.Contains(line.own, word) {
				t.Fatalf("splitArgs(%q) lost %q: %q", args, word, line.own)
			}
		}
	})
}

// TestEveryFlag holds what the documents promise of every flag.
func TestEveryFlag(t *testing.T) {
	for _, f := range globalFlags() {
		name := f.Names()[0]
		if !slices.Contains(headings, category(f)) {
			t.Errorf("--%s stands under no heading of the help", name)
		}
		if usage := flagUsage(f); usage == "" || strings.Contains(usage, "`") {
			t.Errorf("--%s: usage %q", name, usage)
		}
		if !strings.HasPrefix(env(f), "RALPH_RUN_") {
			t.Errorf("--%s has no variable", name)
		}
	}
}
