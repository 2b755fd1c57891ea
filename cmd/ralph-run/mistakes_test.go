package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// mistakes are command lines, their words between blanks, and the line that
// each must be answered with: what was given, and the rule it breaks.
var mistakes = []struct{ args, want string }{
	{"", `missing command`},
	{"--", `missing command`},
	{"--quiet", `missing command`},

	{"--bogus copilot", `unknown flag --bogus`},
	{"--stat=x copilot", `unknown flag --stat; did you mean --state?`},
	{"status --wacth", `unknown flag --wacth; did you mean --watch?`},
	{"history --stat x", `unknown flag --stat; did you mean --state?`},
	{"history 24h", `history: want no words after it`},
	{"doctor x", `doctor: want no words after it`},
	{"man x", `man: want no words after it`},
	{"explain --bogus", `unknown flag --bogus`},
	{"--quiet=no x", `--quiet "no": want true or false`},
	{"status --watch=often", `--watch "often": want true or false`},
	{"--\xffx y", `unknown flag --·x`},
	{"--state", `flag --state needs a value`},
	{"--state -- copilot", `flag --state needs a value`},

	{"--cooldown 10 x", `--cooldown "10": want a duration such as 30s, 10m, 1h30m or 2d`},
	{"--cooldown 0s x", `--cooldown "0s": want more than 0`},
	{"--grace -1s x", `--grace "-1s": want 0 or more`},
	{"--patience soon x", `--patience "soon": want a duration such as 30s, 10m, 1h30m or 2d`},
	{"--max-wait 1y x", `--max-wait "1y": want a duration such as 30s, 10m, 1h30m or 2d`},

	{"--match ( x", "--match \"(\": missing closing ): `(`"},
	{"--match fine --ignore [ x", "--ignore \"[\": missing closing ]: `[`"},

	{"--fallback a,,b x", `--fallback "a,,b": a model's name is empty; want models with a comma between two, or none`},
	{"--fallback=a,-b x", `--fallback "a,-b": a model's name does not begin with a dash; want models with a comma between two, or none`},
	{"--prefer=-x x", `--prefer "-x": a model's name does not begin with a dash`},

	{"--limit-exit-code 0 x", `--limit-exit-code "0": 0 is success, never a limit`},
	{"--limit-exit-code -1 x", `--limit-exit-code "-1": an exit status is 1 or more`},
	{"--limit-exit-code 7,x x", `--limit-exit-code "7,x": want exit statuses with a comma between two, or none`},

	{"--pty maybe x", `--pty "maybe": want auto, always, never`},
	{"--on-exhausted cry x", `--on-exhausted "cry": want fail, wait, try`},
	{"--also tired x", `--also "tired": want overloaded`},
	{"--resume 1 x", `--resume "1": want auto, never`},
	{"--log-level loud x", `--log-level "loud": want debug, info, warn, error`},
	{"--log-format xml x", `--log-format "xml": want console, json`},
	{"--attempts some x", `--attempts "some": want a whole number, 0 or more`},
	{"--attempts -1 x", `--attempts "-1": want a whole number, 0 or more`},

	{"--state x.json --shared x", `--state "x.json": not together with --shared, which names a place too`},
	{"--state ftp://me:secret@host/x x", `--state "ftp://…@host/x": unknown scheme ftp; want a path, or a URL that begins with redis, rediss or unix`},

	{"explain a b", `explain: want one FILE, got 2`},
	{"explain --exit-code 256 a", `--exit-code "256": want a whole number from 0 to 255`},
	{"explain --exit-code x a", `--exit-code "x": want a whole number from 0 to 255`},
	{"explain --now yesterday a", `--now "yesterday": want a time such as 2026-03-18T10:00:00Z or 2026-03-18 10:00`},
	{"explain --match ) a", "--match \")\": unexpected ): `)`"},
	{"explain no-such-file", `open no-such-file: no such file or directory`},
	{"explain --stderr no-such-file " + os.DevNull, `open no-such-file: no such file or directory`},
	{"explain .", `read .: is a directory`},

	{"record", `record: want success or limit`},
	{"record maybe", `record "maybe": want success or limit`},
	{"record limit --reset later", `--reset "later": want a time such as 2026-03-18T10:00:00Z, or a duration such as 30m`},
	{"record success --reset 5m", `--reset "5m": a success has no reset`},
	{"record limit --model=-b", `--model "-b": a model's name does not begin with a dash`},
	{"trip --for long", `--for "long": want a duration such as 30s, 10m, 1h30m or 2d`},
	{"--dry-run reset", `reset: not with --dry-run, which changes nothing`},
	{"record limit --dry-run", `record: not with --dry-run, which changes nothing`},
	{"init --dry-run", `init: not with --dry-run, which changes nothing`},
	{"model x", `model: want no words after it`},
	{"trip 3h", `trip: want no words after it`},
	{"init x", `init: want no words after it; the models are given by --prefer and --fallback`},
	{"history --since lately", `--since "lately": want a time such as 2026-03-18 10:00, or a duration such as 24h or 7d`},
	{"completion", `completion "": want bash, zsh, fish or powershell`},
	{"completion csh", `completion "csh": want bash, zsh, fish or powershell`},
}

// TestMistakes holds that a mistake ends with 125 and one clear line, that what
// may be a secret is not in it, and that nothing is started or left behind.
func TestMistakes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system's errors are worded for Unix")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range mistakes {
		t.Run(tt.args, func(t *testing.T) {
			lines, status := mistaken(t, strings.Fields(tt.args))
			if status != statusMistake || lines[0] != prefix+tt.want {
				t.Errorf("ralph-run %s: status %d, %q; want %d, %q", tt.args, status, lines[0], statusMistake, prefix+tt.want)
			}
			for _, l := range lines[1:] {
				if !strings.HasPrefix(l, prefix+"hint: ") {
					t.Errorf("ralph-run %s: line %q", tt.args, l)
				}
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// mistaken runs a command line that must be refused, and returns the lines it
// showed on stderr.
func mistaken(t *testing.T, args []string) (lines []string, status int) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stderr")
	stderr, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	p := &program{env: os.Environ(), stdin: null, stdout: null, stderr: stderr}
	end := p.ended(p.commandLine(context.Background(), args))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), end.Code
}
