package termsvg

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	fontSize = 14
	cellWide = 8.4
	rowHigh  = 19
	margin   = 18
	barHigh  = 34 // the window's title bar

	foreground = "#d7dde5"
	background = "#11151c"
)

// palette is the 16 colours, each readable on the background.
var palette = [16]string{
	"#5c6672", "#ff7b72", "#7ee787", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd", "#d7dde5",
	"#8b949e", "#ffa198", "#a5f3ac", "#f2cc60", "#a5d0ff", "#e2c5ff", "#8ae6ec", "#ffffff",
}

// WriteSVG draws a recording as a window with that title. Whoever asks their
// system for less motion, or looks with a program that knows none, sees the whole
// session at once.
func WriteSVG(w io.Writer, r *Recording, title string) error {
	s, err := play(r)
	if err != nil {
		return err
	}
	var b strings.Builder
	wide := 2*margin + cellWide*float64(s.columns)
	high := barHigh + rowHigh*len(s.rows) + margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img" xml:space="preserve">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n", escape(title), escape(s.text()))
	fmt.Fprintf(&b, `<style>
text{font-size:%dpx;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.row{animation:show .05s backwards}
@keyframes show{from{opacity:0}}
@media (prefers-reduced-motion:reduce){.row{animation:none}}
</style>
`, fontSize)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="9" fill="%s"/>`+"\n", background)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="6" fill="%s"/>`+"\n", margin+20*i, colour)
	}
	fmt.Fprintf(&b, `<text x="50%%" y="22" text-anchor="middle" fill="%s">%s</text>`+"\n", palette[8], escape(title))
	for i, r := range s.rows {
		r.draw(&b, barHigh+rowHigh*i+fontSize)
	}
	b.WriteString("</svg>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// draw draws a row as one piece of text for each style. Each is put in its place
// and stretched to its length, so that the columns stand whatever the font.
func (r row) draw(b *strings.Builder, y int) {
	runs := r.runs()
	if len(runs) == 0 {
		return
	}
	fmt.Fprintf(b, `<g class="row" style="animation-delay:%.2fs">`, r.at.Round(10*time.Millisecond).Seconds())
	for _, run := range runs {
		x := margin + cellWide*float64(run.column)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`,
			x, y, cellWide*float64(run.columns), run.style.attributes(), escape(run.text))
	}
	b.WriteString("</g>\n")
}

// A run is a part of a row in one style, without blanks around it.
type run struct {
	column, columns int
	text            string
	style           style
}

func (r row) runs() []run {
	var list []run
	for i, c := range r.cells {
		if n := len(list); n > 0 && list[n-1].style == c.style {
			list[n-1].text += c.text
			list[n-1].columns++
		} else {
			list = append(list, run{i, 1, c.text, c.style})
		}
	}
	kept := list[:0]
	for _, run := range list {
		left := strings.TrimLeft(run.text, " ")
		run.column += len(run.text) - len(left)
		run.columns -= len(run.text) - len(left)
		run.text = strings.TrimRight(left, " ")
		run.columns -= len(left) - len(run.text)
		if run.text != "" {
			kept = append(kept, run)
		}
	}
	return kept
}

func (y style) attributes() string {
	colour := foreground
	if y.colour > 0 {
		colour = palette[y.colour-1]
	}
	a := fmt.Sprintf(` fill="%s"`, colour)
	if y.bold {
		a += ` font-weight="bold"`
	}
	if y.dim {
		a += ` opacity=".65"`
	}
	if y.italic {
		a += ` font-style="italic"`
	}
	if y.underline {
		a += ` text-decoration="underline"`
	}
	return a
}

// text is what stands on the screen, for those who don't see the picture.
func (s *screen) text() string {
	var b strings.Builder
	for _, r := range s.rows {
		var line strings.Builder
		for _, c := range r.cells {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.Trim(b.String(), "\n")
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}
