//go:build unix

package supervisor

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLogDir(t *testing.T) {
	home := []string{"HOME=/h", "USERPROFILE=/h"}
	tests := []struct {
		command string
		env     []string
		want    string
	}{
		{"copilot -p x", home, "/h/.copilot/logs"},
		{"copilot -p x", append(home, "COPILOT_HOME=/c"), "/c/logs"},
		{"copilot --log-dir /l -p x", append(home, "COPILOT_HOME=/c"), "/l"},
		{"copilot -p x --log-dir=/l", home, "/l"},
		{"copilot -p --log-dir=/l", home, "/h/.copilot/logs"},
		{"copilot -- --log-dir /l", home, "/h/.copilot/logs"},
		{"copilot", nil, ""},
	}
	for _, tt := range tests {
		got := logDir(ParseCommand(strings.Fields(tt.command)), tt.env)
		if filepath.ToSlash(got) != tt.want {
			t.Errorf("logDir(%q, %q) = %q, want %q", tt.command, tt.env, got, tt.want)
		}
	}
}

func TestLogName(t *testing.T) {
	tests := []struct {
		name string
		ms   int64
		pid  int
		ok   bool
	}{
		{"process-1796000000123-4711.log", 1796000000123, 4711, true},
		{"process-1796000000123-4711.log.1", 0, 0, false},
		{"process-1796000000123.log", 0, 0, false},
		{"process-x-4711.log", 0, 0, false},
		{"process-1796000000123-0.log", 0, 0, false},
		{"session-1796000000123-4711.log", 0, 0, false},
		{"", 0, 0, false},
	}
	for _, tt := range tests {
		born, pid, ok := logName(tt.name)
		if ok != tt.ok || pid != tt.pid || ok && born.UnixMilli() != tt.ms {
			t.Errorf("logName(%q) = %v, %d, %v, want %d, %d, %v", tt.name, born, pid, ok, tt.ms, tt.pid, tt.ok)
		}
	}
}

// family starts a shell with a child of its own, as a launcher has one, and
// returns both pids.
func family(t *testing.T) (launcher, native int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "cat <&3 & echo $!; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as our children
	kept, given, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{kept}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kept.Close()
	t.Cleanup(func() { given.Close(); cmd.Wait() }) // cat ends with its input
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	native, err = strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, native
}

func TestDescends(t *testing.T) {
	launcher, native := family(t)
	other, _ := family(t)
	for _, pid := range []int{launcher, native} {
		if !descends(pid, launcher) {
			t.Errorf("descends(%d, %d) = false, want true", pid, launcher)
		}
		if descends(pid, other) {
			t.Errorf("descends(%d, %d) = true for another's child", pid, other)
		}
	}
	if descends(os.Getpid(), launcher) {
		t.Error("the parent descends from its child")
	}
	if descends(1<<22+1, launcher) {
		t.Error("a process that is none descends")
	}
}

// TestClientLog follows one log among those of other processes, from before it
// exists.
func TestClientLog(t *testing.T) {
	launcher, native := family(t)
	_, foreign := family(t)
	started := time.Now()
	dir := filepath.Join(t.TempDir(), "logs")
	l := newClientLog(ParseCommand([]string{"copilot"}), []string{"COPILOT_HOME=" + filepath.Dir(dir)}, launcher, started)
	var got strings.Builder
	read := func() {
		if l.file != nil || l.find() {
			l.read(func(p []byte) { got.Write(p) })
		}
	}
	write := func(at time.Time, pid int, text string) {
		t.Helper()
		name := filepath.Join(dir, fmt.Sprintf("process-%d-%d.log", at.UnixMilli(), pid))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}

	read() // no folder yet
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	read() // no file yet
	write(started.Add(-time.Hour), native, "of a process before, with the same pid\n")
	write(started, foreign, "another's\n")
	read()
	if got.Len() > 0 {
		t.Fatalf("read %q of files that are not ours", got.String())
	}
	write(started.Add(time.Millisecond), native, "one\n")
	read()
	write(started, foreign, "another's\n")
	write(started.Add(time.Millisecond), native, "two, ")
	read()
	write(started.Add(time.Millisecond), native, "cut\n"+strings.Repeat("x", 100_000))
	read()
	read()
	if want := "one\ntwo, cut\n" + strings.Repeat("x", 100_000); got.String() != want {
		t.Errorf("read %d bytes %.40q, want %d bytes %.40q", got.Len(), got.String(), len(want), want)
	}
	l.close()
}

// TestClientLogOfATool has our Copilot run another one as a tool: the log of the
// first one is followed.
func TestClientLogOfATool(t *testing.T) {
	launcher, native := family(t)
	dir, started := t.TempDir(), time.Now()
	for i, pid := range []int{launcher, native} {
		name := filepath.Join(dir, fmt.Sprintf("process-%d-%d.log", started.UnixMilli()+int64(i), pid))
		if err := os.WriteFile(name, fmt.Append(nil, "log ", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := newClientLog(ParseCommand([]string{"copilot", "--log-dir", dir}), nil, launcher, started)
	if !l.find() {
		t.Fatal("no log found")
	}
	defer l.close()
	var got strings.Builder
	l.read(func(p []byte) { got.Write(p) })
	if got.String() != "log 0" {
		t.Errorf("read %q, want the log of the outer one", got.String())
	}
}

func TestNoClientLog(t *testing.T) {
	if l := newClientLog(ParseCommand([]string{"claude", "-p"}), []string{"HOME=/h"}, 1, time.Now()); l != nil {
		t.Errorf("follows %q for a client that has no such log", l.dir)
	}
}
