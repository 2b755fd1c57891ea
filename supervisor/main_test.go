//go:build unix

package supervisor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/ralph-run/ralph-run/breaker"
)

// TestMain lets the test binary play the program ("rr") and its child ("kid"),
// when it is started under these names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "rr":
		rr(os.Args[1:])
	case "kid":
		os.Exit(kid(os.Args[1:]))
	}
	bin, err := os.MkdirTemp("", "ralph-run-test-*")
	if err != nil {
		panic(err)
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"rr", "kid"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			panic(err)
		}
	}
	heedSignals()
	os.Setenv("GORACE", "atexit_sleep_ms=10") // every rr and kid would sleep a second at its end
	os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	mostlyWaits()
	code := m.Run()
	os.RemoveAll(bin)
	if err := leaks(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "FAIL: after the last test:", err)
		code = 1
	}
	os.Exit(code)
}

// leaks waits until no goroutine of a test is left.
func leaks() (err error) {
	for end := time.Now().Add(enough); time.Now().Before(end); {
		if err = goleak.Find(); err == nil {
			return nil
		}
	}
	return err
}

// heedSignals lets the tests run under nohup or in the background of a shell: what
// is ignored for us would be for all that they start.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// mostlyWaits lets more tests run at once than there are processors: what they
// do is to wait for their children.
func mostlyWaits() {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		f.Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0)))
	}
}

// rr is the program with the smallest main there can be: the real run loop
// under a circuit that knows no model, so that the command is run as it is.
func rr(args []string) {
	fs := flag.NewFlagSet("rr", flag.ExitOnError)
	pty := fs.String("pty", "auto", "")
	grace := fs.Duration("grace", 10*time.Second, "")
	crash := fs.String("crash", "", "panic when there is this file")
	halt := fs.Bool("halt", false, "stay for ever where there is a child that the guard was not told of")
	fs.Parse(args)
	circuit := &anyModel{renewEvery: time.Hour}
	if *crash != "" {
		circuit.renewEvery, circuit.crash = 10*time.Millisecond, *crash
	}
	cfg := Config{
		Command: fs.Args(), Env: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Circuit: circuit, PTY: PTYMode(*pty), Grace: *grace, Logger: zap.NewNop(),
	}
	if *halt {
		haltUntold(&cfg)
	}
	res, err := Run(context.Background(), cfg)
	var start *StartError
	if errors.As(err, &start) {
		fmt.Fprintln(os.Stderr, "rr:", err)
		os.Exit(start.Status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rr:", err)
		os.Exit(125)
	}
	res.Exit.Die()
}

// anyModel is a circuit that lets the command run once, as it is.
type anyModel struct {
	renewEvery time.Duration
	crash      string // a file at whose sight Renew panics
	given      bool
}

func (a *anyModel) Acquire(context.Context, []string) (breaker.Attempt, error) {
	if a.given {
		return breaker.Attempt{}, &breaker.ExhaustedError{}
	}
	a.given = true
	return breaker.Attempt{Role: breaker.Probe}, nil
}

func (a *anyModel) Renew(context.Context, breaker.Attempt) error {
	if _, err := os.Stat(a.crash); err == nil {
		panic("wanted by the test")
	}
	return nil
}

func (a *anyModel) Report(context.Context, breaker.Attempt, breaker.Outcome) (breaker.Change, error) {
	return breaker.Change{}, nil
}

func (a *anyModel) RenewEvery() time.Duration { return a.renewEvery }

// kid is the child.
func kid(args []string) int {
	switch args[0] {
	case "signals": // say which signals come, until TERM
		c := make(chan os.Signal, 16)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1,
			syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTSTP)
		say("ready")
		for sig := range c {
			say(unix.SignalName(sig.(syscall.Signal)))
			if sig == syscall.SIGTERM {
				return 0
			}
		}
	case "wait": // for a signal that ends it
		say("ready")
		for {
			time.Sleep(time.Hour)
		}
	case "fds": // list the open descriptors
		var open []string
		for fd := range 256 {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
				link, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
				if !strings.Contains(link, "eventpoll") && !strings.Contains(link, "eventfd") {
					open = append(open, fmt.Sprint(fd))
				}
			}
		}
		say(strings.Join(open, " "))
	case "nonblock": // which of 0, 1, 2 are non-blocking
		for fd := range 3 {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil && flags&unix.O_NONBLOCK != 0 {
				say(fmt.Sprint(fd))
			}
		}
	}
	return 0
}

// say writes a line in one piece.
func say(line string) { syscall.Write(1, []byte(line+"\n")) }
