package loopback

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	asked    = "RALPH_RUN_LOOPBACK_TEST"
	refused  = 99 // the status of a system that has no such namespaces for us
	returned = 7  // an ordinary status, which has to come through
)

func TestMain(m *testing.M) {
	if os.Getenv(asked) == "" {
		os.Exit(m.Run())
	}
	inside, status, err := Enter()
	switch {
	case err != nil:
		fmt.Println(err)
		os.Exit(refused)
	case !inside:
		os.Exit(status)
	}
	os.Exit(look())
}

// look prints the interfaces that are up, and whether loopback carries a
// connection.
func look() int {
	all, err := net.Interfaces()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 {
			fmt.Println("up:", i.Name)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer l.Close()
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		fmt.Println("connected")
	}
	return returned
}

func TestEnter(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asked+"=1")
	out, _ := cmd.CombinedOutput()
	switch code := cmd.ProcessState.ExitCode(); code {
	case returned:
		if got, want := string(out), "up: lo\nconnected\n"; got != want {
			t.Errorf("inside: %q, want %q", got, want)
		}
	case refused:
		// Allowed here, but it has to say so: whoever calls must not go on.
		if !strings.Contains(string(out), "make a network namespace") {
			t.Errorf("refused with %q", out)
		}
		t.Logf("no network namespaces here: %s", out)
	default:
		t.Errorf("status %d, output %q", code, out)
	}
}
