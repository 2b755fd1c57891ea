//go:build unix

package main

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestExplainMemory holds that explain needs no more memory for a huge input
// than for a small one.
func TestExplainMemory(t *testing.T) {
	small, huge := peakOfExplain(t, 1<<20), peakOfExplain(t, 128<<20)
	if grown := huge - small; grown > 32<<10 {
		t.Errorf("explain of 128 MiB took %d KiB more than of 1 MiB (%d KiB)", grown, small)
	}
}

// peakOfExplain runs explain over so many bytes of prose, with a line that a rule
// looks at and a very long one now and then, and returns its peak memory in KiB.
func peakOfExplain(t *testing.T, size int64) int64 {
	t.Helper()
	block := []byte(strings.Repeat("all work and no play makes a dull log\n", 1<<15) +
		"Error: 429 is the number of the test that failed\n" + strings.Repeat("x", 1<<20))
	cmd := exec.Command("ralph-run", "explain", "--json", "--exit-code", "0")
	cmd.Stdin = io.LimitReader(&endless{block: block}, size)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("explain: %v: %s", err, &out)
	}
	if !strings.HasPrefix(out.String(), `{"verdict":"none"`) {
		t.Errorf("explain: %s", &out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return maxRSS(usage)
}

// An endless reader repeats a block.
type endless struct {
	block []byte
	at    int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.block[e.at:])
	e.at = (e.at + n) % len(e.block)
	return n, nil
}
