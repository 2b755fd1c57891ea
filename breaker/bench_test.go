package breaker_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// cycle is what one run costs: acquire and report.
func cycle(b *testing.B, c *breaker.Circuit, k breaker.Kind) {
	a, err := c.Acquire(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Report(b.Context(), a, breaker.Outcome{Kind: k}); err != nil {
		b.Fatal(err)
	}
}

// measure runs f b.N times and reports the median and the 99th percentile.
func measure(b *testing.B, f func()) {
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	reportTimes(b, took)
}

func reportTimes(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for name, q := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99} {
		b.ReportMetric(float64(took[int(q*float64(len(took)-1))])/float64(time.Millisecond), name)
	}
}

// BenchmarkAcquireReport is one process on a closed circuit: nothing changes, and
// nothing is written.
func BenchmarkAcquireReport(b *testing.B) {
	path := statePath(b)
	writeState(b, path, string(breaker.Default().Encode()))
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
	measure(b, func() { cycle(b, c, breaker.Success) })
}

// BenchmarkAcquireReportSync is one process whose every report is written and on
// disk: the last fallback is limited again and again.
func BenchmarkAcquireReportSync(b *testing.B) {
	path := statePath(b)
	writeState(b, path, `{"fallbackChain": ["last"]}`)
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{Cooldown: time.Hour * 24 * 365})
	measure(b, func() { cycle(b, c, breaker.Limit) })
}

// BenchmarkAcquireReport100 is 100 processes at once on one file, each a hundred
// runs. A tenth of them writes, as if every tenth run met a limit.
func BenchmarkAcquireReport100(b *testing.B) {
	const processes, each = 100, 100
	path := statePath(b)
	writeState(b, path, `{"fallbackChain": ["last"], "cooldownMinutes": 1e6, "maxCooldownMinutes": 1e6}`)
	cycle(b, breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{}), breaker.Limit)
	workers := make([]*worker, processes)
	for i := range workers {
		workers[i] = startWorker(b, path, "BREAKER_TEST_LOCK_TIMEOUT=1m")
	}
	var took []time.Duration
	b.ResetTimer()
	for b.Loop() {
		var mu sync.Mutex
		var group sync.WaitGroup
		for _, w := range workers {
			group.Go(func() {
				a := w.ask("cycle " + strconv.Itoa(each))
				mu.Lock()
				defer mu.Unlock()
				took = append(took, a.Acquires...)
				if a.Err != "" {
					b.Error(a.Err)
				}
			})
		}
		group.Wait()
	}
	reportTimes(b, took)
	b.ReportMetric(float64(b.N*processes*each)/b.Elapsed().Seconds(), "reports/s")
}

func BenchmarkDecode(b *testing.B) {
	data := full().Encode()
	for b.Loop() {
		if _, err := breaker.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	d, err := breaker.Decode(full().Encode())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d.Encode()
	}
}
