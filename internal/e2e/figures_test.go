//go:build copilot

package e2e

import (
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"
)

// A figure is something measured: how long, and how long it may have been.
type figure struct {
	what        string
	took, bound time.Duration
}

var figures struct {
	sync.Mutex
	rows []figure
}

func measured(what string, took, bound time.Duration) {
	figures.Lock()
	defer figures.Unlock()
	figures.rows = append(figures.rows, figure{what, took, bound})
}

func printFigures(w io.Writer) {
	figures.Lock()
	defer figures.Unlock()
	if len(figures.rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nFrom the first 429 to the fallback's first request:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tmeasured\tbound\t")
	for _, f := range figures.rows {
		fmt.Fprintf(t, "%s\t%.2f s\t%.0f s\t\n", f.what, f.took.Seconds(), f.bound.Seconds())
	}
	t.Flush()
	fmt.Fprintln(w)
}
