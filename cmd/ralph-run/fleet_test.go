package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ralph-run/ralph-run/internal/redistest"
)

// A serverKey finds a script's own Redis server.
type serverKey struct{}

// TestFleet runs the scripts in which the state is in Redis.
func TestFleet(t *testing.T) {
	redistest.Binary(t)
	p := scriptParams("fleet")
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		srv := redistest.Start(env.T().(testing.TB), "--requirepass", "secret", "--appendonly", "yes")
		env.Values[serverKey{}] = srv
		url := strings.Replace(srv.URL(""), "//", "//:secret@", 1)
		url = strings.TrimSuffix(url, "?key=")
		err := setup(env)
		env.Setenv("REDIS", url)
		env.Setenv("WRONG", strings.Replace(url, "secret", "wr0ng", 1))
		env.Setenv("RALPH_RUN_STATE", url+"?key=team-a")
		// Each folder is a machine, with files of its own.
		return errors.Join(err)
	}
	p.Cmds["redis"] = func(ts *testscript.TestScript, neg bool, args []string) {
		srv := ts.Value(serverKey{}).(*redistest.Server)
		if neg || len(args) != 1 {
			ts.Fatalf("usage: redis kill|restart|pause|resume")
		}
		switch args[0] {
		case "kill":
			srv.Kill()
		case "restart":
			srv.Restart()
		case "pause":
			srv.Pause()
		case "resume":
			srv.Resume()
		default:
			ts.Fatalf("redis: unknown word %s", args[0])
		}
	}
	testscript.Run(t, p)
}
