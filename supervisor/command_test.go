package supervisor

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commandTests are command lines and what becomes of them with model M.
var commandTests = []struct {
	name    string
	argv    []string
	want    []string // "" = argv
	client  string
	model   string
	prompt  string
	endsBy  bool // HasPrompt
	through bool // PassThrough
}{
	{
		name: "separate value", argv: []string{"copilot", "--model", "x", "-p", "do"},
		want: []string{"copilot", "--model", "M", "-p", "do"}, client: "copilot", model: "x", prompt: "do", endsBy: true,
	},
	{
		name: "joined value", argv: []string{"copilot", "-p", "do", "--model=x"},
		want: []string{"copilot", "-p", "do", "--model=M"}, client: "copilot", model: "x", prompt: "do", endsBy: true,
	},
	{
		name: "empty joined value", argv: []string{"copilot", "--model="},
		want: []string{"copilot", "--model=M"}, client: "copilot",
	},
	{
		name: "twice, the last one counts", argv: []string{"copilot", "--model", "x", "--model=y"},
		want: []string{"copilot", "--model", "M", "--model=M"}, client: "copilot", model: "y",
	},
	{
		name: "inserted", argv: []string{"copilot", "-p", "do", "--allow-tool", "write"},
		want:   []string{"copilot", "--model", "M", "-p", "do", "--allow-tool", "write"},
		client: "copilot", prompt: "do", endsBy: true,
	},
	{
		name: "inserted without arguments", argv: []string{"copilot"},
		want: []string{"copilot", "--model", "M"}, client: "copilot",
	},
	{
		name: "path", argv: []string{"/usr/local/bin/copilot", "-p", "do"},
		want: []string{"/usr/local/bin/copilot", "--model", "M", "-p", "do"}, client: "copilot", prompt: "do", endsBy: true,
	},
	{
		name: "windows path", argv: []string{`C:\npm\Copilot.CMD`},
		want: []string{`C:\npm\Copilot.CMD`, "--model", "M"}, client: "copilot",
	},
	{name: "copilot.exe", argv: []string{"copilot.exe"}, want: []string{"copilot.exe", "--model", "M"}, client: "copilot"},
	{name: "copilot-cli", argv: []string{"copilot-cli"}, want: []string{"copilot-cli", "--model", "M"}, client: "copilot"},
	{
		name: "model inside a prompt", argv: []string{"copilot", "-p", "use --model x", "--model", "y"},
		want:   []string{"copilot", "-p", "use --model x", "--model", "M"},
		client: "copilot", model: "y", prompt: "use --model x", endsBy: true,
	},
	{
		name: "prompt that is an option", argv: []string{"copilot", "-p", "--model", "--model=y"},
		want:   []string{"copilot", "-p", "--model", "--model=M"},
		client: "copilot", model: "y", prompt: "--model", endsBy: true,
	},
	{
		name: "joined prompts", argv: []string{"copilot", "--prompt=--model=x {model}", "-p=--model x"},
		want:   []string{"copilot", "--model", "M", "--prompt=--model=x {model}", "-p=--model x"},
		client: "copilot", prompt: "--model x", endsBy: true,
	},
	{
		name: "interactive prompt", argv: []string{"copilot", "-i", "--model=x"},
		want: []string{"copilot", "--model", "M", "-i", "--model=x"}, client: "copilot", prompt: "--model=x",
	},
	{
		name: "interactive prompt, joined", argv: []string{"copilot", "--interactive=--model x"},
		want: []string{"copilot", "--model", "M", "--interactive=--model x"}, client: "copilot", prompt: "--model x",
	},
	{
		name: "short options together", argv: []string{"copilot", "-sp", "--model", "--model", "x"},
		want: []string{"copilot", "-sp", "--model", "--model", "M"}, client: "copilot", model: "x", prompt: "--model", endsBy: true,
	},
	{
		name: "short option and value together", argv: []string{"copilot", "-p{model}"},
		want: []string{"copilot", "--model", "M", "-p{model}"}, client: "copilot", prompt: "{model}", endsBy: true,
	},
	{
		name: "behind the child's own dashes", argv: []string{"copilot", "--model", "x", "--", "--model", "y"},
		want: []string{"copilot", "--model", "M", "--", "--model", "y"}, client: "copilot", model: "x",
	},
	{
		name: "only behind the dashes", argv: []string{"copilot", "--", "--model", "y", "--version"},
		want: []string{"copilot", "--model", "M", "--", "--model", "y", "--version"}, client: "copilot",
	},
	{name: "missing value", argv: []string{"copilot", "--model"}, client: "copilot"},
	{name: "missing value before an option", argv: []string{"copilot", "--model", "--yolo"}, client: "copilot"},
	{name: "missing prompt", argv: []string{"copilot", "--model=x", "-p"}, want: []string{"copilot", "--model=M", "-p"}, client: "copilot", model: "x", endsBy: true},
	{
		name: "placeholder", argv: []string{"agent", "--use", "x-{model}", "--", "{model}"},
		want: []string{"agent", "--use", "x-M", "--", "M"},
	},
	{name: "placeholder as the model", argv: []string{"copilot", "--model", "{model}"}, want: []string{"copilot", "--model", "M"}, client: "copilot"},
	{name: "placeholder in the name", argv: []string{"run-{model}"}, want: []string{"run-M"}},
	{
		name: "placeholder in a shell's words", argv: []string{"sh", "-c", "echo {model} $0", "{model}"},
		want: []string{"sh", "-c", "echo M $0", "M"},
	},
	{
		name: "placeholder in a prompt", argv: []string{"claude", "-p", "fix f'{model}' here", "--name={model}"},
		want:   []string{"claude", "--model", "M", "-p", "fix f'{model}' here", "--name=M"},
		client: "claude", prompt: "fix f'{model}' here", endsBy: true,
	},
	{name: "other command", argv: []string{"make", "-k"}},
	{name: "other command with a model", argv: []string{"agent", "-m", "x", "--model", "y"}, want: []string{"agent", "-m", "x", "--model", "M"}, model: "y"},
	{name: "other command with a prompt", argv: []string{"agent", "-p", "--model=x"}, prompt: "--model=x", endsBy: true},
	{
		name: "claude's -p takes no value", argv: []string{"claude", "-p", "--model", "x", "do it"},
		want: []string{"claude", "-p", "--model", "M", "do it"}, client: "claude", model: "x", prompt: "do it", endsBy: true,
	},
	{name: "claude for a person", argv: []string{"claude", "do it"}, want: []string{"claude", "--model", "M", "do it"}, client: "claude", prompt: "do it"},
	{
		name: "codex -m", argv: []string{"codex", "exec", "-m", "x", "do it"},
		want: []string{"codex", "exec", "-m", "M", "do it"}, client: "codex", model: "x", prompt: "do it", endsBy: true,
	},
	{
		name: "codex -m=", argv: []string{"codex", "-c", "a=b", "exec", "-m=x", "do it"},
		want: []string{"codex", "-c", "a=b", "exec", "-m=M", "do it"}, client: "codex", model: "x", prompt: "do it", endsBy: true,
	},
	{
		name: "codex -mX", argv: []string{"codex", "exec", "-mx", "do it"},
		want: []string{"codex", "exec", "-m=M", "do it"}, client: "codex", model: "x", prompt: "do it", endsBy: true,
	},
	{
		name: "codex without", argv: []string{"codex", "exec", "do it"},
		want: []string{"codex", "--model", "M", "exec", "do it"}, client: "codex", prompt: "do it", endsBy: true,
	},
	{
		name: "gemini -m", argv: []string{"gemini", "-m", "x", "-p", "-m"},
		want: []string{"gemini", "-m", "M", "-p", "-m"}, client: "gemini", model: "x", prompt: "-m", endsBy: true,
	},
	{
		name: "opencode", argv: []string{"opencode", "run", "do it"},
		want: []string{"opencode", "--model", "M", "run", "do it"}, client: "opencode", prompt: "do it", endsBy: true,
	},
	{
		name: "npx", argv: []string{"npx", "-y", "@github/copilot@1.0.102", "--model", "x", "-p", "do"},
		want:   []string{"npx", "-y", "@github/copilot@1.0.102", "--model", "M", "-p", "do"},
		client: "copilot", model: "x", prompt: "do", endsBy: true,
	},
	{name: "npx without a model", argv: []string{"npx", "@github/copilot", "-p", "do"}, client: "copilot", prompt: "do", endsBy: true},
	{
		name: "node", argv: []string{"node", "/lib/node_modules/@github/copilot/npm-loader.js", "--model=x"},
		want: []string{"node", "/lib/node_modules/@github/copilot/npm-loader.js", "--model=M"}, client: "copilot", model: "x",
	},
	{
		name: "timeout", argv: []string{"timeout", "-k", "5", "60", "copilot", "--model=x", "-p", "do"},
		want:   []string{"timeout", "-k", "5", "60", "copilot", "--model=M", "-p", "do"},
		client: "copilot", model: "x", prompt: "do", endsBy: true,
	},
	{name: "acp", argv: []string{"copilot", "--acp", "--model", "x"}, want: []string{"copilot", "--acp", "--model", "M"}, client: "copilot", model: "x", through: true},
	{name: "server", argv: []string{"copilot", "--server"}, want: []string{"copilot", "--model", "M", "--server"}, client: "copilot", through: true},
	{name: "another's server", argv: []string{"agent", "--server", "host"}},
	{name: "version", argv: []string{"agent", "--version"}, through: true},
	{name: "help behind an option", argv: []string{"copilot", "--yolo", "--help"}, want: []string{"copilot", "--model", "M", "--yolo", "--help"}, client: "copilot", through: true},
	{name: "help as a prompt", argv: []string{"copilot", "-p", "--help"}, want: []string{"copilot", "--model", "M", "-p", "--help"}, client: "copilot", prompt: "--help", endsBy: true},
	{name: "short help", argv: []string{"gemini", "-h"}, want: []string{"gemini", "--model", "M", "-h"}, client: "gemini", through: true},
	{name: "-v of another", argv: []string{"agent", "-v"}},
	{name: "subcommand", argv: []string{"copilot", "login"}, want: []string{"copilot", "--model", "M", "login"}, client: "copilot", through: true},
	{name: "subcommand behind options", argv: []string{"copilot", "--log-dir=d", "login"}, want: []string{"copilot", "--model", "M", "--log-dir=d", "login"}, client: "copilot", through: true},
	{name: "subcommand's name as a value", argv: []string{"copilot", "--name", "login", "-p", "do"}, want: []string{"copilot", "--model", "M", "--name", "login", "-p", "do"}, client: "copilot", prompt: "do", endsBy: true},
	{name: "subcommand's name as a prompt", argv: []string{"copilot", "-p", "update"}, want: []string{"copilot", "--model", "M", "-p", "update"}, client: "copilot", prompt: "update", endsBy: true},
	{name: "nothing", argv: nil},
}

func TestCommandLine(t *testing.T) {
	for _, tt := range commandTests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.argv)
			c := ParseCommand(tt.argv)
			want := tt.want
			if want == nil {
				want = tt.argv
			}
			if got := c.With("M"); !slices.Equal(got, want) {
				t.Errorf("With(M) = %q, want %q", got, want)
			}
			got := []any{c.Client(), c.Model(), c.Prompt(), c.HasPrompt(), c.PassThrough()}
			if diff := cmp.Diff([]any{tt.client, tt.model, tt.prompt, tt.endsBy, tt.through}, got); diff != "" {
				t.Errorf("client, model, prompt, HasPrompt, PassThrough (-want +got):\n%s", diff)
			}
			if !slices.Equal(tt.argv, before) {
				t.Errorf("With changed the user's command: %q, was %q", tt.argv, before)
			}
		})
	}
}

// FuzzCommandLine takes arguments apart at NUL bytes. Whatever they are: nothing
// panics, every prompt keeps its bytes and its place, and putting the same model
// in twice is the same as once.
func FuzzCommandLine(f *testing.F) {
	for _, tt := range commandTests {
		f.Add(strings.Join(tt.argv, "\x00"))
	}
	f.Add("agent\x00-\xff")
	f.Fuzz(func(t *testing.T, joined string) {
		argv := strings.Split(joined, "\x00")
		c := ParseCommand(argv)
		once := c.With("M")
		if added := len(once) - len(argv); added != 0 && (added != 2 || c.Client() == "") {
			t.Fatalf("With(M) of %q has %d more arguments: %q", argv, added, once)
		}
		if again := ParseCommand(once).With("M"); !slices.Equal(again, once) {
			t.Fatalf("With(M) twice = %q, once = %q", again, once)
		}
		shift := len(once) - len(argv)
		for i, w := range c.words {
			at := c.at + 1 + i
			if w.kind == promptValue || w.kind == promptJoined {
				if once[at+shift] != argv[at] {
					t.Fatalf("With(M) made the prompt %q out of %q", once[at+shift], argv[at])
				}
			}
		}
		c.HasPrompt()
		c.PassThrough()
		resumed := c.Resuming("0a-1b")
		if n := len(resumed.argv) - len(argv); n > 1 || resumed.Prompt() != c.Prompt() {
			t.Fatalf("Resuming of %q = %q", argv, resumed.argv)
		}
		if again := resumed.Resuming("0a-1b"); !slices.Equal(again.argv, resumed.argv) {
			t.Fatalf("Resuming twice = %q, once = %q", again.argv, resumed.argv)
		}
	})
}
