package breaker_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

func statePath(t testing.TB) string {
	return filepath.Join(t.TempDir(), breaker.StateFolder, breaker.StateFile)
}

// writeState puts a file there as a person would.
func writeState(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readState reads the file as any program would: it must be JSON.
func readState(t testing.TB, path string) *breaker.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(data) {
		t.Fatalf("the file is no JSON: %q", data)
	}
	d, err := breaker.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestProcessesCount: 50 processes report 40 limits each on one file. Every one
// is counted, and every read along the way parses.
func TestProcessesCount(t *testing.T) {
	const processes, each = 50, 40
	path := statePath(t)
	writeState(t, path, `{"fallbackChain": ["last"], "note": "kept"}`)
	var workers []*worker
	for range processes {
		workers = append(workers, startWorker(t, path, "BREAKER_TEST_LOCK_TIMEOUT=10m"))
	}
	for _, w := range workers {
		w.send("record limit " + strconv.Itoa(each))
	}
	done := make(chan struct{})
	reads := 0
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			data, err := os.ReadFile(path)
			if err != nil || !json.Valid(data) {
				t.Errorf("a read along the way: %v %q", err, data)
				return
			}
			reads++
			time.Sleep(time.Millisecond) // leave the processor to the workers
		}
	})
	for _, w := range workers {
		if a := w.answer(); a.Err != "" {
			t.Error(a.Err)
		}
	}
	close(done)
	reader.Wait()
	d := readState(t, path)
	if d.ConsecutiveFailures != processes*each || d.Metrics.TotalFallbacks != 1 {
		t.Errorf("%d reports were counted as %d, with %d openings, want 1", processes*each, d.ConsecutiveFailures, d.Metrics.TotalFallbacks)
	}
	t.Logf("%d reads along the way", reads)
}

// TestProcessesKilled: kill -9 in the middle of writes, 500 times. The file is
// whole, holds all that was said to be written, and the next start takes the
// lock at once.
func TestProcessesKilled(t *testing.T) {
	lanes, kills := 4, 125
	if testing.Short() {
		kills = 10
	}
	for lane := range lanes {
		t.Run(strconv.Itoa(lane), func(t *testing.T) {
			t.Parallel()
			path := statePath(t)
			told := 0
			for range kills {
				told = killAWriter(t, path, told)
			}
			entries, _ := os.ReadDir(filepath.Dir(path))
			if len(entries) > 3 { // the state, its lock, one half-written file
				t.Errorf("files were left behind: %v", entries)
			}
		})
	}
}

// killAWriter kills a process that writes without a pause. told is the last
// count that one said it had written.
func killAWriter(t *testing.T, path string, told int, env ...string) int {
	w := startWorker(t, path, env...)
	w.send("count")
	for i := 0; i < 2 && w.out.Scan(); i++ { // it writes by now, without a pause
		told = max(told, number(t, w))
	}
	time.Sleep(rand.N(3 * time.Millisecond)) // any instant of a write
	w.cmd.Process.Kill()
	for w.out.Scan() {
		told = max(told, number(t, w))
	}
	w.cmd.Wait()
	s, got := breaker.NewFileStore(path), 0
	s.LockTimeout = time.Nanosecond
	if err := s.Update(t.Context(), func(d *breaker.Document, _ time.Time) error {
		got = d.ConsecutiveFailures
		return nil
	}); err != nil {
		t.Fatalf("the lock of a dead process is held: %v", err)
	}
	if got != told && got != told+1 {
		t.Fatalf("the file counts %d, the killed process had written %d", got, told)
	}
	if len(env) == 0 {
		readState(t, path)
	}
	return told
}

func number(t *testing.T, w *worker) int {
	n, err := strconv.Atoi(w.out.Text())
	if err != nil {
		t.Fatalf("the worker said %q", w.out.Text())
	}
	return n
}

// TestProcessesProbe: of 30 processes at the end of a cooldown exactly one
// probes. It is killed, and after its lease exactly one takes over.
func TestProcessesProbe(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"state": "open", "openedAt": "2026-01-01T00:00:00Z", "probeLeaseSeconds": 2}`)
	var workers []*worker
	for range 30 {
		workers = append(workers, startWorker(t, path))
	}
	probe := askForProbe(t, workers)
	if len(probe) != 1 {
		t.Fatalf("%d of 30 probe", len(probe))
	}
	died := time.Now()
	probe[0].kill()
	lease := readState(t, path).ProbeExpiresAt
	for i, w := range workers {
		if w == probe[0] {
			workers = append(workers[:i], workers[i+1:]...)
			break
		}
	}
	for deadline := died.Add(time.Minute); ; {
		heirs := askForProbe(t, workers)
		switch {
		case len(heirs) == 1:
			if time.Now().Before(lease) {
				t.Errorf("another took over before the lease ended at %v", lease)
			}
			heir := heirs[0].ask("report success")
			if heir.Change.Stale || readState(t, path).HalfOpenSuccesses != 1 {
				t.Errorf("the heir's success: %+v", heir)
			}
			return
		case len(heirs) > 1:
			t.Fatalf("%d took over", len(heirs))
		case time.Now().After(deadline):
			t.Fatal("nobody took over")
		}
		time.Sleep(50 * time.Millisecond) // between two questions
	}
}

// askForProbe lets all acquire at once and returns those that probe.
func askForProbe(t *testing.T, workers []*worker) []*worker {
	for _, w := range workers {
		w.send("acquire")
	}
	var probes []*worker
	for _, w := range workers {
		switch a := w.answer(); {
		case a.Err != "":
			t.Error(a.Err)
		case a.Attempt.Role == breaker.Probe:
			probes = append(probes, w)
		}
	}
	return probes
}
