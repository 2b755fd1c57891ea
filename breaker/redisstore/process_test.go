package redisstore_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

// startWorkers starts n processes, a few at a time.
func startWorkers(t *testing.T, n int, work string) []*worker {
	t.Helper()
	workers := make([]*worker, n)
	var all sync.WaitGroup
	turns := make(chan struct{}, 2*runtime.NumCPU())
	for i := range workers {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			workers[i] = startWorker(t, work)
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return workers
}

// TestProcesses shows that what 200 processes report at once is counted exactly.
func TestProcesses(t *testing.T) {
	processes, each := 200, 20
	if testing.Short() {
		processes = 20
	}
	srv := redistest.Start(t)
	s := openStore(t, srv.URL("k"))
	workers := startWorkers(t, processes, fmt.Sprintf("limit %s %s %d", srv.URL("k"), localFile(t), each))
	for _, w := range workers {
		w.begin(t)
	}
	for _, w := range workers {
		if err := w.wait(); err != nil {
			t.Error(err)
		}
	}
	if got := document(t, s).ConsecutiveFailures; got != processes*each {
		t.Errorf("%d reports of %d processes were counted as %d", processes*each, processes, got)
	}
}

// TestOneProbe shows that of 100 processes that wait for the end of a cooldown
// one probes, and that when it is killed another one does after the lease.
func TestOneProbe(t *testing.T) {
	processes := 100
	if testing.Short() {
		processes = 20
	}
	srv := redistest.Start(t)
	s := openStore(t, srv.URL("k"))
	put(t, s, func(d *breaker.Document, now time.Time) {
		d.State, d.OpenedAt, d.Metrics.TotalFallbacks = breaker.Open, now.Add(-time.Hour), 1
		d.ProbeLeaseSeconds = 3600
	})
	local := localFile(t)
	workers := startWorkers(t, processes, fmt.Sprintf("acquire %s %s", srv.URL("k"), local))
	for _, w := range workers {
		w.begin(t)
	}
	var probe *worker
	for _, w := range workers {
		switch role := w.line(t); {
		case role == string(breaker.Probe) && probe == nil:
			probe = w
		case role != string(breaker.Fallback):
			t.Errorf("one more process is a %s", role)
		}
	}
	if probe == nil {
		t.Fatal("no process probes")
	}
	probe.kill()
	put(t, s, func(d *breaker.Document, now time.Time) { d.ProbeExpiresAt = now.Add(100 * time.Millisecond) })
	eventually(t, "another process probes", func() bool {
		w := startWorker(t, fmt.Sprintf("acquire %s %s", srv.URL("k"), local))
		defer w.kill()
		w.begin(t)
		return w.line(t) == string(breaker.Probe)
	})
}
