package detect

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

// TestExamples holds every rule to its example: it must be that very rule that
// finds it, in a run that failed.
func TestExamples(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			d := New(Options{Client: r.client, LimitExitCodes: []int{173}, Match: []*regexp.Regexp{regexp.MustCompile("having a nap")}})
			e := Exit{Code: 1}
			switch {
			case r.kind == exit:
				e.Code = 173
			case r.name == "copilot-log":
				d.Feed(Log, []byte(r.example+"\n"))
			case r.verdict == None: // looked for only after a notice
				d.Feed(Stdout, []byte("Error: 429 Too Many Requests\n\n"+r.example+"\n"))
			default:
				d.Feed(Stdout, []byte(r.example+"\n"))
			}
			if d.run.found && d.run.last.verdict == None {
				if d.run.last.name != r.name {
					t.Errorf("found by %q", d.run.last.name)
				}
				return
			}
			v := d.Close(e, recordedNow)
			if v.Rule != r.name || v.Kind != r.verdict {
				t.Errorf("verdict %s by %q, want %s by %q: %q", v.Kind, v.Rule, r.verdict, r.name, r.example)
			}
		})
	}
}

func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range rules {
		if seen[r.name] {
			t.Errorf("two rules are called %q", r.name)
		}
		seen[r.name] = true
		if r.kind == 0 || r.verdict == "" || r.example == "" {
			t.Errorf("rule %q is not whole", r.name)
		}
		if m := compiled()[i]; m.re != nil {
			m.re() // compiles, or panics
		}
	}
}

const rulesDoc = "../docs/rules.md"

// TestRulesDoc checks that the table in the documentation is the rules'.
func TestRulesDoc(t *testing.T) {
	want := docTable()
	if *update {
		if err := os.WriteFile(rulesDoc, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(rulesDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the rules say: run go test ./detect -run TestRulesDoc -update", rulesDoc)
	}
}

func docTable() string {
	var b strings.Builder
	b.WriteString(`# The rules of the detector

Generated from the rules in detect/rules*.go by ` + "`go test ./detect -run TestRulesDoc -update`" + `, and checked by the same test.

Rules are tried in this order, and the first that matches speaks for a line. Kinds, strongest first: structured (an event
on a JSON stream, or the client's own log), code (a typed code in an error), notice (a known notice at the start of a
line), word (words in the shape of an error, of a run that failed, near its end), exit (the status). The rules that end
in "in-words" read the error on which a run failed by what its words are about (detect/vocab.go): the name of a limit and
what happened to it, what is counted and when there will be more, a typed code, a status. A client in this table is the one that prints the example; most rules hold for any.

| rule | client | kind | verdict | scope | example |
| --- | --- | --- | --- | --- | --- |
`)
	for _, r := range rules {
		scope := string(r.scope)
		if scope == "" {
			scope = "as stated"
		}
		if r.verdict == None {
			scope = ""
		}
		kind := r.kind.String()
		if r.retries {
			kind += ", only if it then fails"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` |\n", r.name, r.client, kind, r.verdict, scope, docExample(r.example))
	}
	return b.String()
}

// docExample is an example fit for a cell of a table.
func docExample(s string) string {
	if len(s) > 160 {
		s = cutText(s, 160)
	}
	return strings.NewReplacer("|", "¦", "`", "'").Replace(strings.TrimSpace(s))
}
