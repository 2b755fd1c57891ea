package sim

import (
	"fmt"
	"math"
	"strings"
)

// The plot: two panels side by side, both axes logarithmic.
const (
	panelWidth, panelHeight = 380, 300
	marginLeft, marginTop   = 62, 46
	panelGap                = 78
	legendHeight            = 84
)

var colours = []string{"#d1495b", "#edae49", "#3d6fb4", "#2a9d8f", "#1b7f3b", "#8e6bbf"}

// A panel is one diagram over the size of the fleet.
type panel struct {
	title string
	left  float64
	top   float64 // the largest value
	low   float64 // the least value that is shown; less is drawn there
	value func(Mean) float64
}

// SVG returns the plot of the figures.
func SVG(f Figures) string {
	width := 2*panelWidth + marginLeft + panelGap + 30
	height := marginTop + panelHeight + 50 + legendHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>Limited calls and minutes lost, by the size of the fleet</title>
<!-- Written by make sim: change internal/sim instead. -->
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, width, height)
	panels := []panel{
		{"Limited calls after the first report", marginLeft, 10_000, 1, columns[0].value},
		{"Runner minutes lost", marginLeft + panelWidth + panelGap, 100_000, 0.1, columns[2].value},
	}
	for _, p := range panels {
		p.draw(&b, f)
	}
	legend(&b, marginTop+panelHeight+64)
	b.WriteString("</svg>\n")
	return b.String()
}

func (p panel) x(runners int) float64 {
	return p.left + panelWidth*math.Log10(float64(runners))/3
}

func (p panel) y(v float64) float64 {
	share := math.Log10(max(v, p.low)/p.low) / math.Log10(p.top/p.low)
	return marginTop + panelHeight*(1-share)
}

func (p panel) draw(b *strings.Builder, f Figures) {
	fmt.Fprintf(b, `<text x="%.0f" y="%d" font-size="14" font-weight="600" fill="#222">%s</text>`+"\n", p.left, marginTop-18, p.title)
	for decade := p.low; decade <= p.top*1.01; decade *= 10 {
		y := p.y(decade)
		fmt.Fprintf(b, `<path d="M%.1f %.1fh%d" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="end" fill="#555">%s</text>`+"\n",
			p.left, y, panelWidth, p.left-8, y+4, p.number(decade))
	}
	for _, n := range fleets {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%d</text>`+"\n", p.x(n), marginTop+panelHeight+20, n)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">runners</text>`+"\n", p.left+panelWidth/2, marginTop+panelHeight+38)
	for i := range f {
		p.line(b, f[i], colours[i], i == len(f)-1)
	}
}

// line draws one policy; the last one is dashed, since it lies on another.
func (p panel) line(b *strings.Builder, row []Mean, colour string, dashed bool) {
	var path strings.Builder
	for i, m := range row {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], p.x(fleets[i]), p.y(p.value(m)))
	}
	style := ""
	if dashed {
		style = ` stroke-dasharray="6 4"`
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2.5"%s/>`+"\n", &path, colour, style)
	for i, m := range row {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", p.x(fleets[i]), p.y(p.value(m)), colour)
	}
}

func legend(b *strings.Builder, top int) {
	for i, p := range Policies() {
		x, y := marginLeft+(i%3)*280, top+(i/3)*24
		fmt.Fprintf(b, `<path d="M%d %dh26" stroke="%s" stroke-width="3"/><text x="%d" y="%d" fill="#222">%s</text>`+"\n",
			x, y, colours[i], x+34, y+4, p.Name)
	}
}

// number shows a power of ten; the lowest stands for less, too.
func (p panel) number(v float64) string {
	if v == p.low {
		return fmt.Sprintf("≤ %g", v)
	}
	return fmt.Sprintf("%g", v)
}
