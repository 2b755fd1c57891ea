package supervisor

import "strings"

// A client is what the command line of one known CLI looks like, as far as the
// model, the prompt and the session are concerned.
type client struct {
	model   []string // options that name the model
	prompt  []string // options whose value is a prompt, never to be touched
	print   []string // options that make the run end by itself but take no value
	command []string // subcommands that run a model and end by themselves
	other   []string // subcommands that are not a run under a model
	resume  []string // options with which the user chose a session already
	shorts  string   // letters of short options without a value
	glued   bool     // -mX is the same as -m X
}

// clients are the known CLIs by the base name of their command.
var clients = map[string]client{
	"copilot": {
		model:  []string{"--model"},
		prompt: []string{"-p", "--prompt", "-i", "--interactive"},
		other: []string{"app", "login", "logout", "help", "init", "config", "update", "version", "workflow", "sessions",
			"memories", "plugin", "mcp", "skill", "instruction", "lsp", "sandbox", "completion"},
		resume: []string{"-r", "--resume", "--continue", "--session-id", "--connect"},
		shorts: "s",
	},
	"claude": {
		model:  []string{"--model"},
		prompt: nil, // -p takes no value; the prompt stands by itself
		print:  []string{"-p", "--print"},
		other: []string{"agents", "auth", "auto-mode", "config", "doctor", "install", "mcp", "migrate-installer", "plugin",
			"plugins", "setup-token", "update", "upgrade"},
	},
	"codex": {
		model:   []string{"--model", "-m"},
		command: []string{"exec", "e", "review"},
		other: []string{"agents", "login", "logout", "mcp", "mcp-server", "app-server", "remote-control", "app",
			"completion", "sandbox", "debug", "apply", "a", "queue", "archive", "delete", "unarchive", "cloud",
			"exec-server", "features", "help", "proto", "plugin", "update", "doctor"},
		glued: true,
	},
	"gemini": {
		model:  []string{"--model", "-m"},
		prompt: []string{"-p", "--prompt", "-i", "--prompt-interactive", "--interactive"},
		other:  []string{"mcp", "extensions", "extension", "skills", "skill", "hooks", "hook"},
	},
	"opencode": {
		model:   []string{"--model", "-m"},
		prompt:  []string{"--prompt"},
		command: []string{"run"},
		other: []string{"acp", "agent", "attach", "auth", "completion", "db", "debug", "export", "github", "import", "mcp",
			"models", "plugin", "pr", "providers", "serve", "session", "stats", "uninstall", "upgrade", "web"},
	},
}

// unknown is what a command line is taken for whose CLI is not known.
var unknown = client{
	model:  []string{"--model"},
	prompt: []string{"-p", "--prompt", "-i", "--interactive"},
}

// endless are the prompt options after which a session stays open: the prompt
// of a person who is there.
var endless = []string{"-i", "--interactive", "--prompt-interactive"}

// packages are the npm packages of the known CLIs, for npx and the like.
var packages = map[string]string{
	"@github/copilot":           "copilot",
	"@anthropic-ai/claude-code": "claude",
	"@openai/codex":             "codex",
	"@google/gemini-cli":        "gemini",
	"opencode-ai":               "opencode",
}

// launchers are commands that start the command named in their arguments.
var launchers = map[string]bool{
	"bun": true, "bunx": true, "caffeinate": true, "doas": true, "env": true, "gtimeout": true, "ionice": true,
	"nice": true, "node": true, "nohup": true, "npx": true, "pnpm": true, "pnpx": true, "setsid": true,
	"stdbuf": true, "sudo": true, "time": true, "timeout": true, "yarn": true,
}

// clientAt finds the known CLI in a command and the place of its name: the
// command itself, or an argument of a launcher.
func clientAt(argv []string) (name string, at int) {
	if len(argv) == 0 {
		return "", 0
	}
	base := baseName(argv[0])
	if name := knownName(base); name != "" {
		return name, 0
	}
	if !launchers[base] {
		return "", 0
	}
	for i, arg := range argv[1:] {
		switch {
		case strings.HasPrefix(arg, "-") || strings.ContainsAny(arg, " \t\n"):
			continue
		case packageName(arg) != "":
			return packageName(arg), i + 1
		case knownName(baseName(arg)) != "":
			return knownName(baseName(arg)), i + 1
		}
	}
	return "", 0
}

// knownName returns the CLI that goes by a base name, or "".
func knownName(base string) string {
	if base == "copilot-cli" {
		base = "copilot"
	}
	if _, ok := clients[base]; ok {
		return base
	}
	return ""
}

// packageName returns the CLI of an npm package: by its name, with or without a
// version, or by the path of a script inside it.
func packageName(arg string) string {
	path := strings.ReplaceAll(arg, `\`, "/")
	for pkg, name := range packages {
		if arg == pkg || strings.HasPrefix(arg, pkg+"@") || strings.Contains(path, "node_modules/"+pkg+"/") {
			return name
		}
	}
	return ""
}

// baseName returns the last element of a path of either system, in lower case
// and without the endings by which Windows knows a command.
func baseName(path string) string {
	base := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	for _, ending := range []string{".exe", ".cmd", ".ps1", ".bat"} {
		if cut, ok := strings.CutSuffix(base, ending); ok && cut != "" {
			return cut
		}
	}
	return base
}
