package detect

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

func TestZY(t *testing.T) {
	out := map[string]map[string]any{}
	for _, name := range strings.Fields("dev-A-limits dev-B-limits dev-A-not dev-B-not") {
		b, _ := os.ReadFile("/tmp/team/heldout/" + name + ".jsonl")
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			var c struct {
				ID, CLI, Text           string
				Exit_code, Assumed_exit *int
			}
			json.Unmarshal([]byte(l), &c)
			exit := Exit{Unknown: true}
			if c.Exit_code != nil {
				exit = Exit{Code: *c.Exit_code}
			} else if c.Assumed_exit != nil {
				exit = Exit{Code: *c.Assumed_exit}
			}
			for _, n := range strings.Fields("2026-12-03T09:00:00Z 2026-05-12T10:00:00Z 2026-01-27T10:00:00Z 2026-03-01T10:00:00Z 2026-02-27T10:00:00Z 2026-03-31T02:00:00Z 2026-04-28T10:00:00Z 2026-06-16T08:00:00Z 2026-08-24T10:00:00Z 2026-09-24T10:00:00Z 2026-12-31T10:00:00Z 2025-10-09T01:00:00Z") {
				now, _ := time.Parse(time.RFC3339, n)
				d := New(Options{Client: c.CLI, Zone: time.UTC})
				d.Feed(Stdout, []byte(c.Text+"\n"))
				got := d.Close(exit, now)
				r := map[string]any{"now": n, "kind": got.Kind, "scope": got.Scope, "retry": int(got.RetryAfter.Seconds()), "reset": ""}
				if !got.ResetAt.IsZero() && got.RetryAfter == 0 {
					r["reset"] = got.ResetAt.Format(time.RFC3339)
				}
				out[c.ID] = r
				if got.RetryAfter > 0 || got.ResetAt.IsZero() || !got.Capped && got.ResetAt.After(now) {
					break
				}
			}
		}
	}
	b, _ := json.Marshal(out)
	os.WriteFile("/tmp/rw/res.json", b, 0o666)
}
