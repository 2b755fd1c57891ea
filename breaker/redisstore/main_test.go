package redisstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
)

// workEnv makes the test binary one of many processes that use a circuit.
const workEnv = "REDISSTORE_TEST_WORK"

func TestMain(m *testing.M) {
	if work := os.Getenv(workEnv); work != "" {
		if err := workAs(work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// After many failures go-redis dials once a second on its own; that ends up
	// to a second after Close.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// workAs does one process's part once its standard input has a line.
//
//	limit URL LOCAL N: report N limits of whatever model is current
//	acquire URL LOCAL: print the role that this process gets, and hold it until
//	standard input ends
func workAs(work string) error {
	f := strings.Fields(work)
	c, err := redisstore.Open(f[1], redisstore.Options{Timeout: 10 * time.Minute, Local: f[2]})
	if err != nil {
		return err
	}
	defer c.Close()
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	if f[0] == "acquire" {
		a, err := c.Acquire(context.Background(), nil)
		fmt.Println(a.Role)
		_, _ = io.Copy(io.Discard, in)
		return err
	}
	n, err := strconv.Atoi(f[3])
	if err != nil {
		return err
	}
	store, err := redisstore.OpenStore(f[1], 10*time.Minute)
	if err != nil {
		return err
	}
	defer store.Close()
	for range n {
		_, err := breaker.NewCircuit(store, breaker.Options{}).Record(context.Background(), "", limit)
		if err != nil {
			return err
		}
	}
	return nil
}

// A worker is one process started by a test.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startWorker starts a process that does work, and returns when it is ready.
func startWorker(t *testing.T, work string) *worker {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workEnv+"="+work)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &worker{cmd, in, bufio.NewReader(out)}
	t.Cleanup(w.kill)
	if got := w.line(t); got != "ready" {
		t.Fatalf("worker said %q, want ready", got)
	}
	return w
}

func (w *worker) line(t *testing.T) string {
	t.Helper()
	s, err := w.out.ReadString('\n')
	if err != nil {
		t.Fatalf("read from worker: %v", err)
	}
	return strings.TrimSpace(s)
}

// begin lets the worker do its work.
func (w *worker) begin(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(w.in, "go\n"); err != nil {
		t.Fatal(err)
	}
}

// wait ends the worker's input and waits for its end.
func (w *worker) wait() error {
	w.in.Close()
	return w.cmd.Wait()
}

func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// localFile is where a test's state file would be without Redis.
func localFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), ".squad", breaker.StateFile)
}

// open opens a circuit for a test.
func open(t *testing.T, url string, o redisstore.Options) *redisstore.Circuit {
	t.Helper()
	if o.Local == "" {
		o.Local = localFile(t)
	}
	c, err := redisstore.Open(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// openStore opens a store that a loaded machine does not hurry.
func openStore(t *testing.T, url string) *redisstore.Store {
	t.Helper()
	s, err := redisstore.OpenStore(url, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// client returns a plain client, for what a person would do with redis-cli.
func client(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { c.Close() })
	return c
}

// do sends one command and returns its answer.
func do(t *testing.T, c *redis.Client, args ...any) any {
	t.Helper()
	v, err := c.Do(context.Background(), args...).Result()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return v
}

// document returns what the store holds.
func document(t *testing.T, s breaker.Store) *breaker.Document {
	t.Helper()
	d, _, err := s.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// put changes what the store holds.
func put(t *testing.T, s breaker.Store, change func(d *breaker.Document, now time.Time)) {
	t.Helper()
	err := s.Update(context.Background(), func(d *breaker.Document, now time.Time) error {
		change(d, now)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until ok, asking again and again.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
