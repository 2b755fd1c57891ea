//go:build copilot || squad

// Package e2e runs the built ralph-run with the real Copilot CLI against a
// stand-in, on both of the client's paths, in a network namespace with nothing
// but loopback. `make test-copilot` builds and fetches what it needs.
//
// Where something must have happened in time, the time is taken from the
// stand-in's log of requests, and what was measured is printed as a table at the
// end.
package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/loopback"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// Set once, in TestMain.
var (
	client  copilot.Client
	program string // ralph-run
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	inside, status, err := loopback.Enter()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nNOT TESTED: the tests with the real client need a network with nothing but loopback.\n%v\n\n", err)
		return 1
	}
	if !inside {
		return status
	}
	if err := setUp(); err != nil {
		fmt.Fprintf(os.Stderr, "\nNOT TESTED: %v\n\n", err)
		return 1
	}
	status = m.Run()
	printFigures(os.Stdout)
	return status
}

func setUp() error {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return fmt.Errorf("find the project's folder: %w", err)
	}
	program = filepath.Join(root, "bin", "ralph-run")
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("find ralph-run (make build): %w", err)
	}
	if client, err = copilot.Find(filepath.Join(root, ".cache")); err != nil {
		return err
	}
	return warm()
}

// warm starts the client once, so that no test pays for what it unpacks at its
// first start.
func warm() error {
	s, err := standin.Start(map[string]standin.Behaviour{"m": standin.Fine("ok")})
	if err != nil {
		return err
	}
	defer s.Close()
	home, err := os.MkdirTemp("", "ralph-run-e2e-")
	if err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	defer os.RemoveAll(home)
	if err := client.MakeHome(home); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := command(ctx, client.Path, "--model", "m", "-p", "say ok")
	cmd.Dir, cmd.Env = home, client.Env(copilot.Provider, s.URL, home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("start the client for the first time: %w\n%s", err, out)
	}
	return nil
}
