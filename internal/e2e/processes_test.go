//go:build copilot || squad

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

// clients lists the clients of this world that run on a model, launchers
// included.
func (w *world) clients(model string) map[int]string {
	found := w.processes("copilot", model)
	for pid, line := range found {
		if strings.HasPrefix(line, program) {
			delete(found, pid)
		}
	}
	return found
}

// age is for how long the clients on a model have been running.
func (w *world) age(model string) time.Duration {
	var oldest time.Duration
	for pid := range w.clients(model) {
		oldest = max(oldest, age(pid))
	}
	return oldest
}

// age is for how long a process has been running, or 0 if it is gone.
func age(pid int) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	up, _ := os.ReadFile("/proc/uptime")
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may hold anything
	fields := strings.Fields(rest)
	var uptime, began float64
	if _, err := fmt.Sscan(string(up), &uptime); err != nil || len(fields) < 20 {
		return 0
	}
	if _, err := fmt.Sscan(fields[19], &began); err != nil {
		return 0
	}
	const ticks = 100 // a second, on every Linux that runs the client
	return time.Duration((uptime - began/ticks) * float64(time.Second))
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
	w.nothingLeftAfter(time.Second)
}

func (w *world) nothingLeftAfter(d time.Duration) {
	w.t.Helper()
	if !eventually(d, func() bool { return len(w.processes()) == 0 }) {
		w.t.Errorf("left running: %v", fmt.Sprint(w.processes()))
	}
}

func (w *world) killAll() {
	for pid := range w.processes() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}
