package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil {
		t.Error("Load of an empty folder gives no error")
	}
	for _, name := range []string{"b.txtar", "a.txtar", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(header+"-- stdout --\n"+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("Load = %v, want a and b", got)
	}
}

const header = `client: copilot
exit: 1
verdict: limit
scope: weekly
reset: 2026-10-12T00:00:00Z
now: 2026-10-07T09:30:00Z
zone: Europe/Berlin
kind: final
note: one
`

func TestParse(t *testing.T) {
	in := header + `
-- stderr --
first
-- stdout.q --
"\x1b[31mred\x1b[0m\r\n"
"no end"
-- stderr --
second
`
	got, err := Parse("a", []byte(in))
	if err != nil {
		t.Fatalf("Parse = %v, want no error", err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	want := Case{
		Name: "a", Client: "copilot", Exit: Exit{Code: 1}, Verdict: "limit", Scope: "weekly",
		Reset: time.Date(2026, 10, 12, 0, 0, 0, 0, time.UTC),
		Now:   time.Date(2026, 10, 7, 9, 30, 0, 0, time.UTC),
		Zone:  berlin, Kind: "final", Note: "one",
		Pieces: []Piece{
			{"stderr", []byte("first\n")},
			{"stdout", []byte("\x1b[31mred\x1b[0m\r\nno end")},
			{"stderr", []byte("second\n")},
		},
		Files: map[string][]byte{
			"stderr": []byte("first\nsecond\n"),
			"stdout": []byte("\x1b[31mred\x1b[0m\r\nno end"),
		},
	}
	sameZone := cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, got, sameZone); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
}

var parseErrorTests = []struct {
	name     string
	from, to string // a change of the header or the output below it
	want     string
}{
	{"no colon", "kind: final", "kind final", "no colon"},
	{"unknown key", "kind: final", "sort: final", "unknown key"},
	{"key missing", "note: one\n", "", "header note: missing"},
	{"key twice", "note: one\n", "note: one\nnote: two\n", "given twice"},
	{"verdict", "verdict: limit", "verdict: limited", `"limited" is none of`},
	{"scope", "scope: weekly", "scope: daily", `"daily" is none of`},
	{"exit too large", "exit: 1", "exit: 256", "out of range"},
	{"time of another zone", "now: 2026-10-07T09:30:00Z", "now: 2026-10-07T09:30:00+02:00", "not in UTC"},
	{"zone", "Europe/Berlin", "Europe/Nowhere", "unknown time zone"},
	{"two times", "zone: Europe/Berlin", "retry-after: 9", "both reset and retry-after"},
	{"stream", "-- stdout --", "-- output --", `"output" is none of`},
	{"quoting", "-- stdout --", "-- stdout.q --", "unquote"},
	{"no output", "-- stdout --", "text", "no output"},
}

func TestParseErrors(t *testing.T) {
	good := header + "\n-- stdout --\ntext\n"
	for _, tt := range parseErrorTests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.from, tt.to, 1)
			if tt.name == "no output" {
				in = header
			}
			_, err := Parse("a", []byte(in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want an error with %q", err, tt.want)
			}
		})
	}
}
