package sim

import (
	"fmt"
	"strings"
	"time"
)

// fleets are the sizes of the tables.
var fleets = []int{1, 3, 10, 30, 100, 300, 1000}

// seeds is how many fleets of each size are averaged.
const seeds = 5

// Figures are the averages for each policy and each size of the fleet.
type Figures [][]Mean

// A Mean is a [Result] averaged over the seeds.
type Mean struct {
	UnderWay, Started, Informed, Probes, Lost, Late float64 // Lost in minutes
}

// Measure plays all fleets.
func Measure() Figures {
	var f Figures
	for _, p := range Policies() {
		var row []Mean
		for _, n := range fleets {
			row = append(row, mean(n, p))
		}
		f = append(f, row)
	}
	return f
}

func mean(runners int, p Policy) Mean {
	var sum Result
	for seed := range uint64(seeds) {
		r := Run(Standard(runners, seed), p)
		sum.UnderWay += r.UnderWay
		sum.Started += r.Started
		sum.Informed += r.Informed
		sum.Probes += r.Probes
		sum.Lost += r.Lost
		sum.Late += r.Late
	}
	over := func(n int) float64 { return float64(n) / seeds }
	return Mean{over(sum.UnderWay), over(sum.Started), over(sum.Informed), over(sum.Probes),
		float64(sum.Lost/time.Second) / 60 / seeds, over(sum.Late)}
}

// column is one table: what it shows, and what it is for.
type column struct {
	title, text string
	value       func(Mean) float64
}

var columns = []column{
	{"Limited calls that knowledge would have saved",
		"Runs that were started with the limited model although somebody in the fleet had reported the limit. The target for a fleet is one for each cooldown of the limit: the probe that finds out that it is still there. 45 minutes hold four of them.",
		func(m Mean) float64 { return m.Informed }},
	{"All limited calls",
		"The same, with the runs that the limit caught in the middle and those that started before its first report. Nothing prevents those.",
		func(m Mean) float64 { return m.UnderWay + m.Started }},
	{"Minutes lost",
		"From a refused call to the next call of the same runner that is answered, over all runners.",
		func(m Mean) float64 { return m.Lost }},
	{"Probes",
		"Runs that were given the preferred model to find out whether it is back, those that succeeded included.",
		func(m Mean) float64 { return m.Probes }},
	{"Runs on a fallback although the limit was over",
		"What caution costs. The larger the group, the more runs wait for its one probe; but a fallback's run is a run, and not a lost one.",
		func(m Mean) float64 { return m.Late }},
}

// Markdown returns the page of the figures.
func Markdown(f Figures) string {
	s := Standard(0, 0)
	var b strings.Builder
	fmt.Fprintf(&b, `# What a shared circuit is worth

<!-- Written by make sim: change internal/sim instead. -->

A simulation with the breaker's own rules and an injected clock, %d seeds each. Every runner starts a run after a pause
(Poisson, %s on average) and works (exponential, %s on average) with a call of its model every %s. After %s
the preferred model refuses every call for %s; the fallbacks are never limited. %d runners share a checkout, %d share a
machine and its user. The cooldown is 10 minutes, and the provider does not say when the limit ends, except in the last row.

A refused client is left alone for %s by a loop with the template's functions, since a client retries in silence that
long, and for %s by ralph-run (both measured with the real client; one that hangs for ever costs a loop more than that).
The template's functions are given an atomic file here, which they do not have.

![Limited calls and minutes lost, by the size of the fleet](fleet.svg)
`, seeds, short(s.Pause), short(s.Work), short(s.Every), short(s.LimitAt), short(s.LimitFor),
		s.PerRepository, s.PerMachine, short(clientGivesUp), short(patience))
	for _, c := range columns {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.title, c.text)
		f.table(&b, c.value)
	}
	return b.String()
}

func (f Figures) table(b *strings.Builder, value func(Mean) float64) {
	b.WriteString("| runners |")
	for _, n := range fleets {
		fmt.Fprintf(b, " %d |", n)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(fleets)) + "\n")
	for i, p := range Policies() {
		fmt.Fprintf(b, "| %s |", p.Name)
		for _, m := range f[i] {
			fmt.Fprintf(b, " %s |", figure(value(m)))
		}
		b.WriteString("\n")
	}
}

// figure shows three digits or so.
func figure(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func short(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
