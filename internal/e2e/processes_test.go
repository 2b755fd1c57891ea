//go:build copilot

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processes lists the running processes of this world whose command line holds
// every one of the words. A process keeps the environment it was started with,
// whatever group or session it moves to, so none gets away.
func (w *world) processes(words ...string) map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, append([]byte(w.mark), 0)) {
			continue // gone, or a zombie
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		text := strings.ReplaceAll(string(line), "\x00", " ")
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && containsAll(text, words) {
			found[pid] = text
		}
	}
	return found
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// nothingLeft fails the test if a process of this world is still running. The
// kernel may need a moment to bury one that was killed.
func (w *world) nothingLeft() {
	w.t.Helper()
	var left map[int]string
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = w.processes(); len(left) == 0 {
			return
		}
	}
	w.t.Errorf("left running: %v", fmt.Sprint(left))
}

func (w *world) killAll() {
	for pid := range w.processes() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}
