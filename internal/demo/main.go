// Command demo shows ralph-run at work: the real Copilot CLI against a stand-in
// on loopback on which the preferred model is limited. `make demo` runs it, in
// the project's folder. Where the client is not there, or no network namespace
// can be made for it, a small stand-in for the client itself takes its place.
//
//	demo [-dir DIR] [-brief]
//
// It ends with 1 if the fallback did not answer.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/loopback"
	"github.com/ralph-run/ralph-run/internal/standin"
)

const (
	preferred = "claude-sonnet-4.6"
	fallback  = "gpt-5.4-mini"
	answer    = "Hello! This is the fallback model, answering in the same run."
	stateFile = ".squad/ralph-circuit-breaker.json"
)

func main() { os.Exit(run()) }

func run() int {
	if filepath.Base(os.Args[0]) == childName {
		return child(os.Args[1:])
	}
	dir := flag.String("dir", filepath.Join(".cache", "demo"), "the folder to make the demo in")
	brief := flag.Bool("brief", false, "leave out the state file")
	flag.Parse()
	client, realErr := copilot.Find(".cache")
	if realErr == nil {
		inside, status, err := loopback.Enter()
		switch {
		case err != nil:
			realErr = err
		case !inside:
			return status
		}
	}
	d, err := prepare(*dir, client, realErr)
	if err == nil {
		err = d.show(*brief)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		return 1
	}
	return 0
}

// A demo is one session in a fresh folder.
type demo struct {
	program string   // ralph-run
	dir     string   // the user's project
	env     []string // of everything that is run
	server  *standin.Server
}

func prepare(dir string, client copilot.Client, realErr error) (*demo, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the project's folder: %w", err)
	}
	if err := os.RemoveAll(root); err != nil {
		return nil, fmt.Errorf("clear the last demo: %w", err)
	}
	// No state above the home folder is looked for.
	home := filepath.Join(root, "home")
	d := &demo{dir: filepath.Join(home, "project")}
	if d.program, err = beside(); err != nil {
		return nil, fmt.Errorf("find ralph-run: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(d.dir, ".squad"), 0o755); err != nil {
		return nil, fmt.Errorf("make a project: %w", err)
	}
	if realErr != nil {
		fmt.Printf("The real Copilot CLI cannot run here (%v).\nA built-in stand-in takes its place: it prints the same notice and hangs the same way.\n\n", realErr)
		if client.Path, err = makeChild(root); err != nil {
			return nil, err
		}
		client.Unpacked = root
	}
	if err := client.MakeHome(home); err != nil {
		return nil, err
	}
	d.server, err = standin.Start(map[string]standin.Behaviour{
		preferred: standin.Limit("user_model_rate_limited", 30*time.Minute),
		fallback:  standin.Fine(answer),
	})
	if err != nil {
		return nil, err
	}
	d.env = client.Env(copilot.Service, d.server.URL, home)
	return d, nil
}

// beside is the ralph-run that was built with this program.
func beside() (string, error) {
	self, err := os.Executable()
	return filepath.Join(filepath.Dir(self), "ralph-run"), err
}

func (d *demo) show(brief bool) error {
	defer d.server.Close()
	fmt.Printf("%s is rate limited on a stand-in at %s.\nBy itself the client would print that and hang.\n\n", preferred, d.server.URL)
	var out bytes.Buffer
	err := d.run(io.MultiWriter(os.Stdout, &out), "--", "copilot", "--model", preferred, "-p", "say hello", "--allow-all-tools")
	if err != nil {
		return err
	}
	if !bytes.Contains(out.Bytes(), []byte(answer)) {
		return errors.New("the fallback's answer did not arrive")
	}
	d.timeline()
	if err := d.state(brief); err != nil {
		return err
	}
	fmt.Println()
	return d.run(os.Stdout, "status")
}

// state shows the state file and looks whether the circuit is open.
func (d *demo) state(brief bool) error {
	state, err := os.ReadFile(filepath.Join(d.dir, stateFile))
	if err != nil {
		return fmt.Errorf("read the state: %w", err)
	}
	if !brief {
		fmt.Printf("\n$ cat %s\n%s", stateFile, state)
	}
	if !bytes.Contains(state, []byte(`"state": "open"`)) {
		return errors.New("the circuit is not open")
	}
	return nil
}

// run shows a ralph-run command line and runs it.
func (d *demo) run(out io.Writer, args ...string) error {
	line := "$ ralph-run"
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = `"` + a + `"`
		}
		line += " " + a
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		line = "\x1b[1m" + line + "\x1b[0m"
	}
	fmt.Println(line)
	cmd := exec.Command(d.program, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run ralph-run: %w", err)
	}
	return nil
}

// timeline shows what arrived at the stand-in, and when.
func (d *demo) timeline() {
	fmt.Println("\nWhat the stand-in saw:")
	all := d.server.Requests()
	for _, r := range all {
		fmt.Printf("  %6.2f s  %-18s answered %d\n", r.Time.Sub(all[0].Time).Seconds(), r.Model, r.Status)
	}
}
