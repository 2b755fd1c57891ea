package breaker_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// The tests of this package start their own binary again as a process of its
// own, a worker. It does what its standard input says, a command a line, and
// answers each with a line.

const workerVariable = "BREAKER_TEST_WORKER"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerVariable); path != "" {
		if err := deny(os.Getenv("BREAKER_TEST_DENY")); err != nil {
			fmt.Println("cannot deny:", err)
			os.Exit(2)
		}
		work(path)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// An answer is what a worker says after a command.
type answer struct {
	Attempt breaker.Attempt
	Change  breaker.Change
	Took    time.Duration
	Err     string
	StoreOp string // of a StoreError
	Notices []breaker.Notice

	Acquires []time.Duration // how long each took, after "cycle"
}

func work(path string) {
	s := breaker.NewFileStore(path)
	if d, err := time.ParseDuration(os.Getenv("BREAKER_TEST_LOCK_TIMEOUT")); err == nil {
		s.LockTimeout = d
	}
	var ans answer
	s.Notify = func(n breaker.Notice) { ans.Notices = append(ans.Notices, n) }
	c := breaker.NewCircuit(s, breaker.Options{})
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	fmt.Println("ready")
	for in.Scan() {
		ans = answer{Attempt: ans.Attempt}
		start := time.Now()
		if err := command(s, c, &ans, strings.Fields(in.Text())); err != nil {
			ans.Err = err.Error()
			if s, ok := err.(*breaker.StoreError); ok {
				ans.StoreOp = s.Op
			}
		}
		ans.Took = time.Since(start)
		if out.Encode(ans) != nil {
			return
		}
	}
}

// command does one thing. last is the answer before: its attempt is the one that
// is reported.
func command(s *breaker.FileStore, c *breaker.Circuit, last *answer, words []string) (err error) {
	ctx := context.Background()
	switch words[0] {
	case "acquire":
		last.Attempt, err = c.Acquire(ctx, words[1:])
	case "report":
		last.Change, err = c.Report(ctx, last.Attempt, breaker.Outcome{Kind: breaker.Kind(words[1])})
	case "record": // n times
		n, _ := strconv.Atoi(words[2])
		for range n {
			if last.Change, err = c.Record(ctx, "", breaker.Outcome{Kind: breaker.Kind(words[1])}); err != nil {
				return err
			}
		}
	case "cycle": // n runs, each tenth of them limited
		n, _ := strconv.Atoi(words[1])
		for i := range n {
			start := time.Now()
			if last.Attempt, err = c.Acquire(ctx, nil); err != nil {
				return err
			}
			last.Acquires = append(last.Acquires, time.Since(start))
			kind := breaker.Success
			if i%10 == 0 {
				kind = breaker.Limit
			}
			if last.Change, err = c.Report(ctx, last.Attempt, breaker.Outcome{Kind: kind}); err != nil {
				return err
			}
		}
	case "count": // for ever, telling each
		for n := 1; ; n++ {
			if err := s.Update(ctx, func(d *breaker.Document, _ time.Time) error {
				d.ConsecutiveFailures++
				n = d.ConsecutiveFailures
				return nil
			}); err != nil {
				return err
			}
			if _, err := fmt.Println(n); err != nil {
				return nil
			}
		}
	}
	return err
}

// A worker is a process on a state file.
type worker struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startWorker starts a worker and waits until it is ready. env are further
// variables.
func startWorker(t testing.TB, path string, env ...string) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), env...), workerVariable+"="+path, "GOMAXPROCS=1")
	return startAs(t, cmd)
}

func startAs(t testing.TB, cmd *exec.Cmd) *worker {
	t.Helper()
	w := &worker{t: t, cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewScanner(out)
	t.Cleanup(w.kill)
	if !w.out.Scan() || w.out.Text() != "ready" {
		t.Fatalf("the worker is not ready: %q %v", w.out.Text(), w.out.Err())
	}
	return w
}

func (w *worker) send(command string) {
	if _, err := io.WriteString(w.in, command+"\n"); err != nil {
		w.t.Errorf("worker: %v", err)
	}
}

func (w *worker) answer() answer {
	var a answer
	if !w.out.Scan() {
		w.t.Errorf("the worker ended: %v", w.out.Err())
	} else if err := json.Unmarshal(w.out.Bytes(), &a); err != nil {
		w.t.Errorf("the worker said %q", w.out.Text())
	}
	return a
}

func (w *worker) ask(command string) answer {
	w.send(command)
	return w.answer()
}

// kill ends the worker with SIGKILL and waits until it is gone.
func (w *worker) kill() {
	if w.cmd.ProcessState == nil {
		w.cmd.Process.Kill()
		w.cmd.Wait()
	}
}
