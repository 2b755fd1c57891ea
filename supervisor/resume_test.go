package supervisor

import (
	"slices"
	"strings"
	"testing"

	"github.com/ralph-run/ralph-run/detect"
)

const (
	sessionA = "d99cc9fe-17fe-47a2-9b74-e0c56813bdd6"
	sessionB = "72e39dbd-aa66-4c4e-a4a7-4ba26d577307"
)

func TestResuming(t *testing.T) {
	tests := []struct{ name, command, id, want string }{
		{"right after the name", "copilot --allow-tool write -p do", sessionA, "copilot --resume=" + sessionA + " --allow-tool write -p do"},
		{"behind a launcher", "npx @github/copilot -p do", sessionA, "npx @github/copilot --resume=" + sessionA + " -p do"},
		{"own resume", "copilot --resume=x -p do", sessionA, ""},
		{"own resume, short", "copilot -r x -p do", sessionA, ""},
		{"own continue", "copilot --continue -p do", sessionA, ""},
		{"own session", "copilot --session-id x -p do", sessionA, ""},
		{"resume in the prompt only", "copilot -p --resume", sessionA, "copilot --resume=" + sessionA + " -p --resume"},
		{"resume behind the dashes only", "copilot -- --resume", sessionA, "copilot --resume=" + sessionA + " -- --resume"},
		{"another client", "claude -p do", sessionA, ""},
		{"unknown command", "agent -p do", sessionA, ""},
		{"no id", "copilot -p do", "", ""},
		{"an option for an id", "copilot -p do", "--yolo", ""},
		{"words for an id", "copilot -p do", "a;b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.command
			}
			got := ParseCommand(strings.Fields(tt.command)).Resuming(tt.id)
			if !slices.Equal(got.argv, strings.Fields(want)) {
				t.Errorf("Resuming(%q) = %q, want %q", tt.id, got.argv, want)
			}
		})
	}
}

// TestProgress runs through the limited runs of one invocation: what the last
// command is, and whether a warning says that work is done twice.
func TestProgress(t *testing.T) {
	work := func(session string) detect.Verdict { return detect.Verdict{DidWork: true, SessionID: session} }
	idle := func(session string) detect.Verdict { return detect.Verdict{SessionID: session} }
	tests := []struct {
		name    string
		command string
		never   bool
		runs    []detect.Verdict
		want    string // the session resumed
		twice   bool
	}{
		{name: "no work", command: "copilot -p x", runs: []detect.Verdict{idle(sessionA)}},
		{name: "work", command: "copilot -p x", runs: []detect.Verdict{work(sessionA)}, want: sessionA},
		{name: "work, then none in a session of its own", command: "copilot -p x", runs: []detect.Verdict{work(sessionA), idle(sessionB)}, want: sessionA},
		{name: "work twice", command: "copilot -p x", runs: []detect.Verdict{work(sessionA), work(sessionB)}, want: sessionB},
		{name: "work without an id", command: "copilot -p x", runs: []detect.Verdict{work("")}, twice: true},
		{name: "work in a session of the user's", command: "copilot -p x --resume=y", runs: []detect.Verdict{work(sessionA)}},
		{name: "switched off", command: "copilot -p x", never: true, runs: []detect.Verdict{work(sessionA)}, twice: true},
		{name: "another client", command: "claude -p x", runs: []detect.Verdict{work(sessionA)}, twice: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p progress
			user := ParseCommand(strings.Fields(tt.command))
			for _, v := range tt.runs {
				p.add(v)
			}
			next, twice := p.next(user, !tt.never)
			if want := user.Resuming(tt.want); !slices.Equal(next.argv, want.argv) {
				t.Errorf("next command = %q, want %q", next.argv, want.argv)
			}
			if (twice != "") != tt.twice {
				t.Errorf("warning = %q, want one: %v", twice, tt.twice)
			}
		})
	}
}
