//go:build copilot

package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// An event is a line of the client's JSON output.
type event struct {
	Type     string
	ExitCode *int
	Data     struct {
		Model, Content string
		StatusCode     int
	}
}

// checkEvents checks the JSON output of a run that was limited on the preferred
// model and of one that answered.
func checkEvents(t *testing.T, stdout string) {
	t.Helper()
	var last event
	failed, answered := false, false
	for line := range strings.Lines(stdout) {
		last = event{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("a line that is no JSON: %v\n%q", err, line)
		}
		switch {
		case last.Type == "model.call_failure" && last.Data.Model == preferred && last.Data.StatusCode == 429:
			failed = true
		case last.Type == "assistant.message" && last.Data.Content == answer:
			answered = failed
		}
	}
	if !failed || !answered {
		t.Errorf("events of the limit: %t, of the answer after it: %t; want both", failed, answered)
	}
	if last.Type != "result" || last.ExitCode == nil || *last.ExitCode != 0 {
		t.Errorf("the last event = %+v, want a result with exit code 0", last)
	}
}
