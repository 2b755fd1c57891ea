package detect

import (
	"strings"
	"unicode/utf8"
)

// A line is a row as the rules see it: without indentation, borders and bullet.
type line struct {
	text   string // in its own case
	bullet rune   // the mark it began with, 0 if none
	indent int    // cells before the text
	width  int    // cells of the whole row
	boxed  bool   // between borders
	raw    string // the text with the blanks around it, as far as they are its own
}

// bullets are marks before a notice. Some only count where nothing but an error
// is printed behind them; see treeBullets and proseBullets.
const bullets = "✗✘✕✖×❌⨯⛔🚫🛑🖐✋⚠●■⏺⎿└╰├│┃▌❯›>•∙·!ℹ✻✶*⎢╭█⏵◼▪"

// treeBullets are printed before the result of a tool, and by some clients
// before an error.
const treeBullets = "⎿└╰├│┃⎢"

// proseBullets are printed before what the model says, or a person.
const proseBullets = "❯›>•∙·*▌▪"

// errorBullets are printed before an error.
const errorBullets = "✗✘✕✖×❌⨯⛔🚫🛑🖐✋⚠■"

var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u200b", "", "\ufeff", "", "\u00ad", "", "\ufe0f", "", "’", "'", "‘", "'", "\t", " ", "\u2060", "")

// cleanLine takes the row apart.
func cleanLine(row []byte) line { return lineOf(string(row)) }

func lineOf(row string) line {
	l := line{raw: readable(row)}
	l.width = cells([]byte(row))
	s := strings.TrimRight(l.raw, " ")
	l.indent = len(s) - len(strings.TrimLeft(s, " "))
	s = s[l.indent:]
	if rest, ok := unbox(s); ok {
		l.raw = strings.TrimSuffix(strings.TrimPrefix(rest, " "), " ")
		s, l.boxed = strings.Trim(rest, " "), true
	}
	for {
		c, size := utf8.DecodeRuneInString(s)
		if size == 0 || !strings.ContainsRune(bullets, c) {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[size:])
		if c < utf8.RuneSelf && next != ' ' {
			break // "!important", "*bold*", ">>>"
		}
		if l.bullet == 0 || strings.ContainsRune(treeBullets, l.bullet) || c == '🖐' || c == '✋' {
			l.bullet = c
		}
		s = strings.TrimLeft(s[size:], " ")
	}
	l.text = strings.TrimRight(s, " ")
	return l
}

// readable is the row as valid text, with blanks of one kind.
func readable(row string) string {
	ascii := true
	for i := range len(row) {
		if c := row[i]; c < 0x20 || c == 0x7f {
			row = strings.Map(printableRune, row)
			break
		}
		ascii = ascii && row[i] < utf8.RuneSelf
	}
	switch {
	case ascii:
		return strings.ReplaceAll(row, "\t", " ")
	case mayReplace(row):
		return blanks.Replace(row)
	}
	return row
}

// mayReplace reports that one of the characters that are written otherwise may be
// in a text: most have other ones beyond ASCII.
func mayReplace(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\t', c == 0xc2, c == 0xef:
			return true
		case c == 0xe2 && i+2 < len(s):
			switch s[i+1 : i+3] {
			case "\x80\x8b", "\x80\x98", "\x80\x99", "\x80\xaf", "\x81\xa0":
				return true
			}
		}
	}
	return false
}

func printableRune(r rune) rune {
	if r < 0x20 && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}

// unbox removes the borders of a box, which stand at both ends.
func unbox(s string) (string, bool) {
	first, size := utf8.DecodeRuneInString(s)
	last, end := utf8.DecodeLastRuneInString(s)
	if size+end >= len(s) || !strings.ContainsRune("│┃║▏▕|", first) || first != last {
		return s, false
	}
	inner := s[size : len(s)-end]
	if first == '|' && strings.Contains(inner, "|") {
		return s, false // a table
	}
	return inner, true
}
