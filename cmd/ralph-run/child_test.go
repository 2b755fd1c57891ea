package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// child is a command that does what its first argument says.
func child() {
	switch args := os.Args[2:]; os.Args[1] {
	case "exit":
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "args":
		for _, a := range args {
			fmt.Printf("%s\n", a)
		}
	case "env":
		for _, name := range args {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "both": // both TEXT TEXT STATUS: to stdout, to stderr, then end
		fmt.Println(args[0])
		fmt.Fprintln(os.Stderr, args[1])
		code, _ := strconv.Atoi(args[2])
		os.Exit(code)
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "ttys": // which of its streams are terminals
		for fd := range 3 {
			fmt.Println(fd, term.IsTerminal(fd))
		}
	case "hang": // hang PIDFILE: until a signal comes, which it names
		hang(args[0])
	case "blob": // blob N: N megabytes of prose
		line := []byte(strings.Repeat("all work and no play makes a dull log ", 2) + "\n")
		chunk := bytes.Repeat(line, 1<<20/len(line)+1)[:1<<20]
		n, _ := strconv.Atoi(args[0])
		for range n {
			_, _ = os.Stdout.Write(chunk)
		}
	default:
		fmt.Fprintln(os.Stderr, "child: unknown word", os.Args[1])
		os.Exit(99)
	}
}

func hang(pidFile string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	publish(pidFile, fmt.Sprint(os.Getpid()))
	select {
	case s := <-signals:
		fmt.Println("caught", s)
		os.Exit(7)
	case <-time.After(patience):
		os.Exit(98)
	}
}

// publish makes a file appear with all of its content.
func publish(name, content string) {
	part := name + ".part"
	if err := os.WriteFile(part, []byte(content), 0o644); err != nil {
		panic(err)
	}
	if err := os.Rename(part, name); err != nil {
		panic(err)
	}
}

// notices are what the real client was seen to print, by the kind of limit.
var notices = map[string]struct {
	stderr string
	status int // -1: it never ends by itself
}{
	"model":    {"You've hit the rate limit for this model. Please switch models or wait for your limit to reset in 30 minutes. Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: ABCD:1234:5678)", -1},
	"global":   {"You've hit your session rate limit. Please wait for your limit to reset in 30 minutes or switch to auto model to continue. Learn More (https://docs.github.com/copilot/concepts/rate-limits).", 1},
	"provider": {"429 Rate limit reached for requests", 1},
	"quota":    {"You have exceeded your premium request allowance.", 1},
	"broken":   {"Execution failed: Failed to get response from the AI model; retried 5 times (total retry wait time: 5.75 seconds) Last error: 500 Internal server error", 1},
	"leak":     {"Error: 429 rate limit exceeded for token Bearer eyJplantedToken0123456789abcdefghijklmnop and key sk-plantedKey0123456789abcdefghijklmnop, user planted@example.com, https://me:plantedPass@host/x", 1},
	"late":     {"429 Rate limit reached for requests", 0}, // ended with 0 all the same
}

// client is what runs under a client's name: ralph-run, if it was called by a
// link of that name, or else a fake.
func client() {
	if self, err := os.Executable(); err == nil && strings.TrimSuffix(filepath.Base(self), ".exe") == "ralph-run" {
		main()
	}
	fakeClient()
}

// fakeClient plays a coding CLI. LIMITED names the models that are limited and
// how: "claude-sonnet-4.6=model,gpt-5-mini=provider". Each run adds its model
// to the file RUNS.
func fakeClient() {
	switch strings.Join(os.Args[1:], " ") {
	case "--version":
		fmt.Println("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.")
		return
	case "help config":
		fmt.Print(helpConfig)
		return
	}
	model := clientModel(os.Args[1:])
	if runs := os.Getenv("RUNS"); runs != "" {
		f, err := os.OpenFile(runs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, model)
		f.Close()
	}
	kind := ""
	for pair := range strings.SplitSeq(os.Getenv("LIMITED"), ",") {
		if m, k, _ := strings.Cut(pair, "="); m == model || m == "*" {
			kind = k
		}
	}
	notice, limited := notices[kind]
	if !limited {
		answer(model)
		return
	}
	fmt.Fprintf(os.Stderr, "\n%s\n\n", notice.stderr)
	if notice.status < 0 {
		hangAsCopilot()
	}
	os.Exit(notice.status)
}

// helpConfig is a part of what the real client was seen to answer.
const helpConfig = "  `logLevel`: log level for CLI; defaults to \"default\".\n\n" +
	"  `model`: AI model to use for Copilot CLI; can be changed with /model command or --model flag option.\n" +
	"    - \"claude-sonnet-4.6\"\n    - \"gpt-5.4-mini\"\n    - \"gpt-5-mini\"\n\n" +
	"  `contextTier`: context window tier for tiered-pricing models.\n    - \"default\"\n"

func answer(model string) {
	if slices.Contains(os.Args, "-") { // the prompt comes on stdin
		_, _ = io.Copy(os.Stdout, os.Stdin)
	}
	fmt.Printf("%s answers from %s\n", filepath.Base(os.Args[0]), model)
	if talk := os.Getenv("TALK"); talk != "" {
		fmt.Println(talk)
	}
}

// hangAsCopilot waits as the real client does, and ends with 0 on a signal.
func hangAsCopilot() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if name := os.Getenv("HANGING"); name != "" {
		publish(name, fmt.Sprint(os.Getpid()))
	}
	select {
	case <-signals:
		fmt.Fprintln(os.Stderr, "Exiting…")
		os.Exit(0)
	case <-time.After(2 * patience):
		os.Exit(98)
	}
}

// clientModel is the model that a client takes from its command line: the last
// one counts.
func clientModel(args []string) string {
	model := os.Getenv("COPILOT_MODEL")
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--model="); ok {
			model = v
		}
		if (a == "--model" || a == "-m") && i+1 < len(args) {
			model = args[i+1]
		}
	}
	return model
}

// onPTY runs a command on a terminal of its own and copies what it shows to
// stdout: onpty [-type TEXT] COMMAND [ARG…]. TEXT is typed when the command
// has shown its first output.
func onPTY() {
	args := os.Args[1:]
	var typed string
	if args[0] == "-type" {
		typed, args = args[1], args[2:]
	}
	cmd := exec.Command(args[0], args[1:]...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		if n > 0 && typed != "" {
			_, _ = f.WriteString(typed)
			typed = ""
		}
		_, _ = os.Stdout.Write(buf[:n])
		if err != nil {
			break // EIO is the end of a pty
		}
	}
	_ = cmd.Wait()
	os.Exit(shellStatus(cmd.ProcessState))
}
