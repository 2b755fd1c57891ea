package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

func benchCircuit(b *testing.B, srv *redistest.Server) *redisstore.Circuit {
	b.Helper()
	c, err := redisstore.Open(srv.URL("k"), redisstore.Options{Timeout: time.Minute, Local: b.TempDir() + "/state.json"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// BenchmarkRun is what a run costs with the circuit closed: its model and its
// success.
func BenchmarkRun(b *testing.B) {
	c := benchCircuit(b, redistest.Start(b))
	for b.Loop() {
		a, err := c.Acquire(context.Background(), nil)
		if err == nil {
			_, err = c.Report(context.Background(), a, breaker.Outcome{Kind: breaker.Success})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstRun is the same with a connection of its own, as every process
// has it.
func BenchmarkFirstRun(b *testing.B) {
	srv := redistest.Start(b)
	for b.Loop() {
		c, err := redisstore.Open(srv.URL("k"), redisstore.Options{Timeout: time.Minute, Local: b.TempDir() + "/state.json"})
		if err == nil {
			_, err = c.Acquire(context.Background(), nil)
		}
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkWrites is 100 writers at once.
func BenchmarkWrites(b *testing.B) {
	srv := redistest.Start(b)
	b.SetParallelism(100)
	b.RunParallel(func(pb *testing.PB) {
		s, err := redisstore.OpenStore(srv.URL("k"), time.Minute)
		if err != nil {
			b.Error(err)
			return
		}
		defer s.Close()
		for pb.Next() {
			err := s.Update(context.Background(), func(d *breaker.Document, _ time.Time) error {
				d.ConsecutiveFailures++
				return nil
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}
