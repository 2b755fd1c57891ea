package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdJSON checks fields of a file that holds one JSON object, or of stdout:
// json FILE path.to.field=value… The value is JSON, or a word that stands for a
// string; "*" is any value but null.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: json file path=value...")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	for _, check := range args[1:] {
		path, want, _ := strings.Cut(check, "=")
		got, err := lookup(doc, strings.Split(path, "/"))
		if err != nil {
			ts.Fatalf("%s: %s: %v", args[0], path, err)
		}
		text, err := json.Marshal(got)
		ts.Check(err)
		switch {
		case want == "*" && got != nil:
		case string(text) == want:
		case got == any(want):
		default:
			ts.Fatalf("%s: %s is %s, want %s", args[0], path, text, want)
		}
	}
}

// lookup follows a path of names, indexes and "len" into a document.
func lookup(doc any, path []string) (any, error) {
	if len(path) == 0 {
		return doc, nil
	}
	switch d := doc.(type) {
	case map[string]any:
		v, ok := d[path[0]]
		if !ok {
			return nil, fmt.Errorf("no %q", path[0])
		}
		return lookup(v, path[1:])
	case []any:
		if path[0] == "len" {
			return float64(len(d)), nil
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(d) {
			return lookup(d[i], path[1:])
		}
	}
	return nil, fmt.Errorf("no %q", path[0])
}
