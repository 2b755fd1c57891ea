package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ralph-run/ralph-run/breaker"
)

func (p *program) historyCommand() *cli.Command {
	return &cli.Command{
		Name:  "history",
		Usage: "what ran, and how it ended",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "`TIME` only what began since a time, or this long ago, such as 24h or 7d"},
			&cli.BoolFlag{Name: "json", Usage: "show records and totals as one JSON object"},
		},
		Action: p.history,
	}
}

func (p *program) history(c *cli.Context) error {
	s, err := p.readSettings(c)
	if err == nil {
		err = noWords(c)
	}
	if err != nil {
		return err
	}
	now := time.Now()
	since, err := readSince(c.String("since"), now)
	if err != nil {
		return err
	}
	place, err := statePlace(s)
	if err != nil {
		return err
	}
	st, err := openState(s, place, breaker.Options{}, p.notice)
	if err != nil {
		return err
	}
	defer st.close()
	var records []*record // sorted, which moves them
	where, bad, err := st.eachRecord(c.Context, since, func(r *record) { records = append(records, r) })
	if err != nil {
		return err
	}
	slices.SortStableFunc(records, func(a, b *record) int { return a.Time.Compare(b.Time) })
	totals := addUp(records)
	if c.Bool("json") {
		return printHistoryJSON(p.stdout, records, totals)
	}
	looked := where
	if !since.IsZero() {
		looked += " since " + clock(since, now)
	}
	var table bytes.Buffer // one write, whose error is ours
	printHistory(&table, newPaint(p.stdout, p.env), records, totals, looked)
	if _, err := table.WriteTo(p.stdout); err != nil {
		return err
	}
	if bad > 0 {
		say(p.stderr, fmt.Sprintf("%d lines of %s are no records and were left out", bad, where))
	}
	return nil
}

// readSince reads a moment, or how long ago.
func readSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	t, err := parseTime(s)
	if err != nil {
		return t, usageErrorf("--since %q: want a time such as 2026-03-18 10:00, or a duration such as 24h or 7d", s)
	}
	return t, nil
}

// A total is what one model did on one day.
type total struct {
	Day      string `json:"day"` // local
	Model    string `json:"model"`
	Runs     int    `json:"runs"`
	OK       int    `json:"ok"`
	Limits   int    `json:"limits"`
	Failures int    `json:"failures"`
	Millis   int64  `json:"durationMs"`
}

func (t *total) add(r *record) {
	t.Runs++
	t.Millis += r.DurationMS
	switch {
	case r.Verdict == "limit":
		t.Limits++
	case r.ExitStatus == 0:
		t.OK++
	default:
		t.Failures++
	}
}

func addUp(records []*record) []total {
	sums := map[[2]string]*total{}
	for _, r := range records {
		if r.Verdict == "trip" || r.Verdict == "reset" {
			continue // done to the circuit; the other records by hand are a loop's runs
		}
		key := [2]string{r.Time.Local().Format(time.DateOnly), r.Model}
		if sums[key] == nil {
			sums[key] = &total{Day: key[0], Model: key[1]}
		}
		sums[key].add(r)
	}
	list := []total{}
	for _, t := range slices.SortedFunc(maps.Values(sums), func(a, b *total) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Model, b.Model))
	}) {
		list = append(list, *t)
	}
	return list
}

func printHistoryJSON(w io.Writer, records []*record, totals []total) error {
	if records == nil {
		records = []*record{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Records []*record `json:"records"`
		Totals  []total   `json:"totals"`
	}{records, totals})
}

func printHistory(out io.Writer, ui paint, records []*record, totals []total, looked string) {
	if len(records) == 0 {
		fmt.Fprintf(out, "no runs recorded in %s\n", looked)
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tMODEL\tROLE\tRESULT\tSTATUS\tTOOK\tCIRCUIT\tWHY")
	for _, r := range records {
		change := ""
		if r.To != "" {
			change = "→ " + r.To
		}
		status, took := fmt.Sprint(r.ExitStatus), shortDuration(time.Duration(r.DurationMS)*time.Millisecond)
		if r.Role == byHand {
			status, took = "", ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Time.Local().Format("2006-01-02 15:04:05"),
			printable(r.Model), r.Role, result(r), status, took, change, printable(cut(r.Evidence, 60)))
	}
	w.Flush()
	fmt.Fprintln(out)
	printTotals(out, ui, totals)
}

// result is how a run ended, in one word.
func result(r *record) string {
	switch {
	case r.Verdict != "none":
		return r.Verdict
	case r.Role == byHand:
		return "success"
	case r.EndedBy == "signal":
		return "interrupted"
	case r.ExitStatus == 0:
		return "ok"
	}
	return "failed"
}

// printTotals shows one row for each day and model, with a bar of its runs: how
// many ended well, failed, or were limited.
func printTotals(out io.Writer, ui paint, totals []total) {
	most := 0
	for _, t := range totals {
		most = max(most, t.Runs)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DAY\tMODEL\tRUNS\tOK\tLIMITS\tFAILED\tTOOK\t")
	for _, t := range totals {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", t.Day, printable(t.Model), t.Runs, t.OK, t.Limits, t.Failures,
			shortDuration(time.Duration(t.Millis)*time.Millisecond), bar(ui, t, most))
	}
	w.Flush()
}

func bar(ui paint, t total, most int) string {
	const width = 24
	part := func(n int) string { return strings.Repeat("█", (n*width+most-1)/most) }
	if !ui {
		return ""
	}
	return ui.green(part(t.OK)) + ui.yellow(part(t.Failures)) + ui.red(part(t.Limits))
}
