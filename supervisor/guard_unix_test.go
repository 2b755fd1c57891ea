//go:build unix

package supervisor

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// startGroup starts a shell script in a process group of its own and returns when
// it has said that it is ready.
func startGroup(t *testing.T, script string) (cmd *exec.Cmd, wait func()) {
	t.Helper()
	cmd = exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait = sync.OnceFunc(func() { cmd.Wait() })
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "ready") {
		t.Fatalf("the script is not ready: %q, %v", line, err)
	}
	return cmd, wait
}

// groupGone waits until nothing is left of a group but what its starter has not
// reaped.
func groupGone(pid int, within time.Duration) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) {
			return true
		}
	}
	return false
}

var guardTests = []struct{ name, script string }{
	{"a launcher and what it started", "sleep 600 & echo ready; wait"},
	{"a launcher that is gone", "sleep 600 & echo ready"},
	{"one that ignores TERM", "trap '' TERM; sleep 600 & echo ready; wait"},
	{"a stopped one", "echo ready; kill -STOP $$; sleep 600"},
}

// TestGuard: when the guarded program is gone, so is the child's whole group.
// Closing our end of the pipe is what the kernel does for a killed program.
func TestGuard(t *testing.T) {
	for _, tt := range guardTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd, wait := startGroup(t, tt.script)
			g := readyGuard(t)
			g.watch(cmd.Process.Pid)
			go wait() // else the dead script would stay in its group
			g.life.Close()
			if !groupGone(cmd.Process.Pid, time.Minute) {
				t.Error("the group is still there")
			}
			var ws syscall.WaitStatus
			if _, err := syscall.Wait4(g.pid, &ws, 0, nil); err != nil || !ws.Exited() {
				t.Errorf("the guard did not end by itself: %v, %v", ws, err)
			}
		})
	}
}

// TestGuardDismissed: a run that ends as it should leaves no guard, and the guard
// touches nothing.
func TestGuardDismissed(t *testing.T) {
	cmd, _ := startGroup(t, "echo ready; read -r _; exit 7")
	g := readyGuard(t)
	g.watch(cmd.Process.Pid)
	g.dismiss()
	g.await()
	if err := syscall.Kill(g.pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the guard is still there: %v", err)
	}
	if err := syscall.Kill(cmd.Process.Pid, 0); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	none := (*guard)(nil) // where none could be started
	none.ready()
	none.watch(1)
	none.dismiss()
	none.await()
}

// TestGuardBeforeChild: when we are killed before there is a child, the guard ends
// by itself.
func TestGuardBeforeChild(t *testing.T) {
	g := readyGuard(t)
	g.life.Close()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(g.pid, &ws, 0, nil); err != nil || !ws.Exited() {
		t.Errorf("the guard did not end by itself: %v, %v", ws, err)
	}
}

func readyGuard(t *testing.T) *guard {
	t.Helper()
	g := startGuard(zap.NewNop())
	if <-g.started; g.pid == 0 {
		t.Fatal("no guard was started")
	}
	return g
}

// haltUntold starts the command with a guard that cannot be told of it: the pipe
// to it is full. What the guard waits for is the end of the real one.
func haltUntold(cfg *Config) {
	s, err := openStage(cfg)
	if err != nil {
		panic(err)
	}
	g := s.guard
	if g == nil {
		g = startGuard(cfg.Logger)
	}
	<-g.started
	r, full, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	for err = nil; err == nil; {
		_, err = unix.Write(descriptor(full), make([]byte, 4096))
	}
	if !errors.Is(err, unix.EAGAIN) {
		panic(err)
	}
	life := g.life
	g.life, s.guard = full, g
	s.start(childSpec{argv: cfg.Command, env: cfg.Env})
	panic(fmt.Sprint("the guard was told, past ", r.Name(), life.Name()))
}
