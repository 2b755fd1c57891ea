package main

import (
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// paint colours words, on a terminal only.
type paint bool

// newPaint follows https://no-color.org: NO_COLOR, not empty, means none.
func newPaint(f *os.File, env []string) paint {
	off := slices.ContainsFunc(env, func(v string) bool {
		value, found := strings.CutPrefix(v, "NO_COLOR=")
		return found && value != "" || v == "TERM=dumb"
	})
	return paint(!off && term.IsTerminal(int(f.Fd())))
}

func (p paint) sgr(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) red(s string) string    { return p.sgr("31", s) }
func (p paint) green(s string) string  { return p.sgr("32", s) }
func (p paint) yellow(s string) string { return p.sgr("33", s) }
func (p paint) bold(s string) string   { return p.sgr("1", s) }
func (p paint) dim(s string) string    { return p.sgr("2", s) }

// printable shows a line as it is, but for what would move the cursor or change
// the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return '·'
		}
		return r
	}, s)
}
