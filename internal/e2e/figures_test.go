//go:build copilot || squad

package e2e

import (
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"
)

// A figure is the time from the first 429 to the fallback's first request.
type figure struct {
	what  string
	took  time.Duration
	start time.Duration // of it, the second client's own: from its start to its request
	bound time.Duration
	alone string // what the client does without ralph-run
}

var figures struct {
	sync.Mutex
	rows []figure
}

func (f figure) record() {
	figures.Lock()
	defer figures.Unlock()
	figures.rows = append(figures.rows, f)
}

// idleStart is what the client needs from its start to its first request on an
// idle machine of this kind.
const idleStart = 1500 * time.Millisecond

// inTime reports that the bound was kept. On a machine that is so busy that the
// client's own start takes k times as long, everything else does too, and the
// bound is k times as long.
func (f figure) inTime() bool {
	slow := max(1, f.start.Seconds()/idleStart.Seconds())
	return f.took.Seconds() <= slow*f.bound.Seconds()
}

func printFigures(w io.Writer) {
	figures.Lock()
	defer figures.Unlock()
	if len(figures.rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nFrom the first 429 to the fallback's first request:")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, "| limit\t| measured\t| of it the client's start\t| bound\t| the client alone\t|")
	fmt.Fprintln(t, "| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, f := range figures.rows {
		fmt.Fprintf(t, "| %s\t| %.2f s\t| %.2f s\t| %.0f s\t| %s\t|\n", f.what, f.took.Seconds(), f.start.Seconds(), f.bound.Seconds(), f.alone)
	}
	t.Flush()
	fmt.Fprintln(w)
}
