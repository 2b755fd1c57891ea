package breaker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDenied runs processes whose system calls fail as they do on a full disk,
// on NFS without locks, and on a file that is mounted on its own.
func TestDenied(t *testing.T) {
	for _, tt := range []struct {
		deny, op string // op "" = it works all the same
	}{
		{"flock:ENOLCK", "lock"},
		{"fsync:ENOSPC", "write"},
		{"rename:EBUSY", ""},
	} {
		t.Run(tt.deny, func(t *testing.T) {
			path := statePath(t)
			writeState(t, path, `{"preferredModel": "m", "fallbackChain": ["n"], "note": "a rather long one, which makes the file longer than it will be", "halfOpenSuccesses": 0}`)
			before, _ := os.ReadFile(path)
			inode := inodeOf(t, path)
			w := startWorker(t, path, "BREAKER_TEST_DENY="+tt.deny)
			if a := w.ask("acquire"); a.Attempt.Model != "m" || a.Err != "" {
				t.Errorf("acquire: %+v, want m without an error, since nothing is written", a)
			}
			if a := w.ask("report limit"); a.StoreOp != tt.op {
				t.Errorf("report: %+v, want an error of %q", a, tt.op)
			}
			a := w.ask("acquire m")
			if a.Attempt.Model != "n" {
				t.Errorf("acquire after the limit: %+v", a)
			}
			after, _ := os.ReadFile(path)
			if same := string(after) == string(before); same != (tt.op != "") {
				t.Errorf("the file is now\n%s", after)
			}
			if tt.op == "" && inodeOf(t, path) != inode {
				t.Error("the file was replaced, not overwritten")
			}
			readState(t, path)
			if _, err := os.Stat(path + ".tmp"); err == nil {
				t.Error("a half-written file was left behind")
			}
		})
	}
}

func inodeOf(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// TestInPlaceWriters: processes that can only overwrite the file still take
// turns, and every read along the way is of a whole file.
func TestInPlaceWriters(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"fallbackChain": ["last"]}`)
	var workers []*worker
	for range 4 {
		workers = append(workers, startWorker(t, path, "BREAKER_TEST_DENY=rename:EBUSY", "BREAKER_TEST_LOCK_TIMEOUT=10m"))
	}
	for _, w := range workers {
		w.send("record limit 25")
	}
	for _, w := range workers {
		if a := w.answer(); a.Err != "" || len(a.Notices) > 0 {
			t.Errorf("%+v", a)
		}
	}
	if d := readState(t, path); d.ConsecutiveFailures != 100 {
		t.Errorf("100 reports were counted as %d", d.ConsecutiveFailures)
	}
}

// TestProcessesKilledInPlace is TestProcessesKilled where the file can only be overwritten:
// what was cut in two is recovered.
func TestProcessesKilledInPlace(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"note": "kept"}`)
	told := 0
	for range 50 {
		told = killAWriter(t, path, told, "BREAKER_TEST_DENY=rename:EBUSY")
	}
	if data, _ := os.ReadFile(path); !strings.Contains(string(data), `"note": "kept"`) {
		t.Errorf("the file is now %s", data)
	}
}

// TestNoPermission runs a process that may read the state but not write it.
func TestNoPermission(t *testing.T) {
	for _, tt := range []struct {
		name             string
		folder, file     os.FileMode
		model, op, after string
	}{
		{"read-only folder", 0o555, 0o644, "m", "lock", "n"},
		{"unreadable file", 0o755, 0o000, "claude-sonnet-4.6", "read", "gpt-5.4-mini"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "breaker")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(filepath.Join(dir, ".squad"), 0o755); os.RemoveAll(dir) })
			path := filepath.Join(dir, ".squad", "ralph-circuit-breaker.json")
			writeState(t, path, `{"preferredModel": "m", "fallbackChain": ["n"]}`)
			for p, mode := range map[string]os.FileMode{dir: 0o755, path: tt.file, filepath.Dir(path): tt.folder} {
				if err := os.Chmod(p, mode); err != nil {
					t.Fatal(err)
				}
			}
			w := startUnprivileged(t, dir, path)
			if a := w.ask("acquire"); a.Attempt.Model != tt.model {
				t.Errorf("acquire: %+v", a)
			}
			if a := w.ask("report limit"); a.StoreOp != tt.op {
				t.Errorf("report: %+v", a)
			}
			if a := w.ask("acquire " + tt.model); a.Attempt.Model != tt.after {
				t.Errorf("acquire after the limit: %+v", a)
			}
		})
	}
}

// startUnprivileged starts a worker that permissions hold for. The test may run
// as root, which they do not: then it is another user's.
func startUnprivileged(t *testing.T, dir, path string) *worker {
	t.Helper()
	if os.Geteuid() != 0 {
		return startWorker(t, path)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "worker") // a test binary's own folder is closed to others
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), workerVariable+"="+path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return startAs(t, cmd)
}

// TestMounts runs a process in a mount namespace of its own: with a state file
// that is mounted on its own, as a container has it, and on a disk that is full.
func TestMounts(t *testing.T) {
	for _, tt := range []struct {
		name, script, op string
	}{
		{"a single mounted file", `mount --bind "$1" "$1" && exec "$0"`, ""},
		{"a full disk", `cp "$1" "$1.kept" && mount -t tmpfs -o size=16k none "$2" && cp "$3/kept" "$1" &&
			{ cat /dev/zero > "$2/rest" 2>/dev/null; exec "$0"; }`, "write"},
		{"a read-only file system", `mount --bind "$2" "$2" && mount -o remount,ro,bind "$2" && exec "$0"`, "lock"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := statePath(t)
			state := `{"preferredModel": "m", "fallbackChain": ["n"]}`
			writeState(t, path, state)
			kept := t.TempDir()
			writeState(t, filepath.Join(kept, "kept"), state)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", tt.script, self, path, filepath.Dir(path), kept)
			cmd.Env = append(os.Environ(), workerVariable+"="+path)
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
			if probe := exec.Command("true"); !mayMount(probe, cmd.SysProcAttr) {
				t.Skip("NOT TESTED HERE: this system allows no mount namespaces; TestDenied covers the same errors")
			}
			w := startAs(t, cmd)
			if a := w.ask("acquire"); a.Attempt.Model != "m" {
				t.Errorf("acquire: %+v", a)
			}
			if a := w.ask("report limit"); a.StoreOp != tt.op {
				t.Errorf("report: %+v, want an error of %q", a, tt.op)
			}
			if a := w.ask("acquire m"); a.Attempt.Model != "n" {
				t.Errorf("acquire after the limit: %+v", a)
			}
			data, _ := os.ReadFile(path)
			if written := strings.Contains(string(data), `"open"`); written != (tt.op == "") {
				t.Errorf("the file is now %s", data)
			}
		})
	}
}

func mayMount(cmd *exec.Cmd, attr *syscall.SysProcAttr) bool {
	cmd.SysProcAttr = attr
	return cmd.Run() == nil
}

// TestModeAndOwner: a file that is replaced keeps both.
func TestModeAndOwner(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"state": "closed"}`)
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 1234, 1235); err != nil {
			t.Fatal(err)
		}
	}
	before, inode := mustStat(t, path), inodeOf(t, path)
	w := startWorker(t, path)
	w.ask("acquire")
	w.ask("report limit")
	after := mustStat(t, path)
	if after.Mode() != before.Mode() || after.Sys().(*syscall.Stat_t).Uid != before.Sys().(*syscall.Stat_t).Uid ||
		after.Sys().(*syscall.Stat_t).Gid != before.Sys().(*syscall.Stat_t).Gid {
		t.Errorf("mode and owner went from %v %+v to %v %+v", before.Mode(), before.Sys(), after.Mode(), after.Sys())
	}
	if inodeOf(t, path) == inode {
		t.Error("the file was not replaced")
	}
}

func mustStat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
