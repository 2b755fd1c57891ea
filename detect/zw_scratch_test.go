package detect

import (
	"os"
	"strings"
	"testing"
	"time"
)

func wrapAt(s string, w int) string {
	var out []string
	line := ""
	for _, f := range strings.Fields(s) {
		if line != "" && len(line)+1+len(f) > w {
			out = append(out, line)
			line = f
		} else if line == "" {
			line = f
		} else {
			line += " " + f
		}
	}
	return strings.Join(append(out, line), "\n")
}

func TestZV(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	foot := "\n\n\nChanges    +0 -0\nDuration   12s\nTokens     ↑ 412.3k • ↓ 6.1k (388.0k cached)\nResume     copilot --resume=d06b4930-0a2b-4d7c-8504-dea2f0df0f16\n"
	type variant struct {
		name string
		feed func(d *Detector, s string)
		cl   string
	}
	vs := []variant{
		{"copilot-stderr", func(d *Detector, s string) { d.Feed(Stdout, []byte("● Working\n")); d.Feed(Stderr, []byte(s+foot)) }, "copilot"},
		{"term", func(d *Detector, s string) {
			d.Feed(Terminal, []byte("● Working\r\n\r\n\x1b[31m"+strings.ReplaceAll(s, "\n", "\r\n")+"\x1b[0m\r\n"))
		}, "x"},
		{"wrap60", func(d *Detector, s string) { d.Feed(Stdout, []byte("● Working\n\n"+wrapAt(s, 60)+"\n")) }, "x"},
		{"wrap100x", func(d *Detector, s string) { d.Feed(Stdout, []byte("● Working\n\n"+wrapAt("✗ "+s, 100)+"\n")) }, "x"},
		{"cross", func(d *Detector, s string) { d.Feed(Stdout, []byte("● Working\n\n✗ "+s+"\n")) }, "x"},
		{"box", func(d *Detector, s string) {
			w := strings.Split(wrapAt(s, 66), "\n")
			o := "● Working\n\n╭" + strings.Repeat("─", 70) + "╮\n"
			for _, l := range w {
				o += "│ " + l + strings.Repeat(" ", max(0, 69-cells([]byte(l)))) + "│\n"
			}
			d.Feed(Terminal, []byte(strings.ReplaceAll(o+"╰"+strings.Repeat("─", 70)+"╯\n", "\n", "\r\n")))
		}, "x"},
		{"stack", func(d *Detector, s string) {
			d.Feed(Stderr, []byte(s+"\n    at Agent.run (/app/agent.js:10:3)\n    at async main (/app/main.js:3:1)\n\nNode.js v22.12.0\n"))
		}, "x"},
		{"exit", func(d *Detector, s string) { d.Feed(Stderr, []byte(s+"\nerror: agent exited with code 1\n")) }, "x"},
		{"indent", func(d *Detector, s string) {
			d.Feed(Stdout, []byte("● Working\n\n  "+strings.ReplaceAll(s, "\n", "\n  ")+"\n"))
		}, "x"},
		{"tree", func(d *Detector, s string) { d.Feed(Terminal, []byte("> do it\r\n  ⎿  "+s+"\r\n\r\n> \r\n")) }, "claude"},
		{"json", func(d *Detector, s string) {
			d.Feed(Stdout, []byte(`{"type":"result","subtype":"success","is_error":true,"result":"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)+`","session_id":"a"}`+"\n"))
		}, "claude"},
		{"prefix", func(d *Detector, s string) { d.Feed(Stdout, []byte("Agent error: "+s+"\n")) }, "x"},
		{"api", func(d *Detector, s string) { d.Feed(Stdout, []byte("[API Error: "+s+"]\n")) }, "gemini"},
	}
	for _, k := range [][2]string{{"limits", "limit"}, {"none", "none"}, {"over", "overloaded"}, {"unav", "unavailable"}} {
		b, _ := os.ReadFile("/tmp/rw/" + k[0] + ".txt")
		if len(b) == 0 {
			t.Skip()
		}
		var cases []string
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			if l[0] == ' ' {
				cases[len(cases)-1] += "\n" + l
			} else {
				cases = append(cases, l)
			}
		}
		for _, v := range vs {
			bad := 0
			for _, s := range cases {
				d := New(Options{Client: v.cl, Split: v.name == "copilot-stderr"})
				v.feed(d, s)
				got := d.Close(Exit{Code: 1}, now)
				if string(got.Kind) != k[1] {
					bad++
					if os.Getenv("V") == v.name {
						t.Logf("%s %s -> %s by %s: %s", v.name, k[1], got.Kind, got.Rule, s)
					}
				}
			}
			t.Logf("%s %s %d of %d wrong", k[0], v.name, bad, len(cases))
		}
	}
}
