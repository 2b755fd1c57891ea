//go:build unix

package supervisor_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const fakeSession = "72e39dbd-aa66-4c4e-a4a7-4ba26d577307"

// The test binary is the fake client when it is started under its name.
func init() {
	if filepath.Base(os.Args[0]) == "copilot" {
		os.Exit(fakeClient(os.Args[1:]))
	}
}

// fakeVariable names the variable that plans what the fake does for a model.
func fakeVariable(model string) string {
	return "FAKE_" + strings.NewReplacer(".", "_", "-", "_").Replace(model)
}

// fakeClient does what a real Copilot was recorded doing, one act after another:
//
//	log=MS  write a refusal with that Retry-After into its log
//	tool    run a tool, unless the session that it did so in is resumed
//	hang    print the limit and never exit; TERM makes it exit 0
//	sit     wait for ever in silence
//	exit    print the limit and exit 1
//	answer  print an answer and exit 0
func fakeClient(args []string) int {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	model, session := os.Getenv("COPILOT_MODEL"), ""
	for _, arg := range args {
		if id, ok := strings.CutPrefix(arg, "--resume="); ok {
			session = ":" + id
		}
	}
	dir := os.Getenv("FAKE_DIR")
	fakeAppend(filepath.Join(dir, "ran"), model+session+"\n")
	log := filepath.Join(os.Getenv("HOME"), ".copilot", "logs", fmt.Sprintf("process-%d-%d.log", time.Now().UnixMilli(), os.Getpid()))
	fakeAppend(log, "2026-11-29T20:19:00.343Z [INFO] Workspace initialized: "+fakeSession+" (checkpoints: 0)\n")
	for act := range strings.FieldsSeq(os.Getenv(fakeVariable(model))) {
		name, value, _ := strings.Cut(act, "=")
		switch name {
		case "log":
			fakeAppend(log, `2026-11-29T20:19:01.126Z [WARNING] [rust:model_events::producer] Model provider request failed `+
				`{"stage":"inference","api_endpoint":"/chat/completions","http_status":429,"failure_kind":"http_error","retry_after_ms":`+value+"}\n")
			if ms, _ := strconv.Atoi(value); ms < 1000 {
				time.Sleep(time.Duration(ms) * time.Millisecond) // its own retry
			}
		case "tool":
			if session == "" {
				fakeAppend(filepath.Join(dir, "tool"), "x")
				fmt.Print("Working on it.\n\n● echo (shell)\n  │ echo toolmark\n  └ 1 line…\n\n")
			}
		case "hang":
			fmt.Fprint(os.Stderr, "\nYou've hit the rate limit for this model. Please switch models or wait for your limit to reset in 30 minutes. "+
				"Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: ABCD:1234:5678)\n")
			<-term
			fmt.Fprint(os.Stderr, "\nExiting…\n\n\nChanges    +0 -0\nRequests   0 Premium (8s)\nResume     copilot --resume="+fakeSession+"\n")
			return 0
		case "sit":
			<-term
			fmt.Fprint(os.Stderr, "\nExiting…\n")
			return 0
		case "exit":
			fmt.Fprint(os.Stderr, "\n429 Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period.\n\n\n"+
				"Changes    +0 -0\nDuration   0s\nResume     copilot --resume="+fakeSession+"\n")
			return 1
		case "answer":
			fmt.Printf("the answer of %s\n", model)
			return 0
		}
	}
	return 99 // a model that no plan knows
}

func fakeAppend(name, text string) {
	os.MkdirAll(filepath.Dir(name), 0o755)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake client:", err)
		os.Exit(98)
	}
}
