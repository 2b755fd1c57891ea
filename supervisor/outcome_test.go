package supervisor

import (
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

func TestSurvived(t *testing.T) {
	inLog := detect.Verdict{Kind: detect.Limit, Stream: detect.Log, DidWork: true, SessionID: sessionA}
	shown := detect.Verdict{Kind: detect.Limit, Stream: detect.Stderr}
	tests := []struct {
		name    string
		verdict detect.Verdict
		end     childEnd
		want    detect.Kind
	}{
		{"logged, status 0", inLog, childEnd{}, detect.None},
		{"logged, status 1", inLog, childEnd{Exit: Exit{Code: 1}}, detect.Limit},
		{"logged, status 0 after our signal", inLog, childEnd{byUs: true}, detect.Limit},
		{"shown, status 0", shown, childEnd{}, detect.Limit},
	}
	for _, tt := range tests {
		got := survived(tt.verdict, tt.end)
		if got.Kind != tt.want || got.DidWork != tt.verdict.DidWork || got.SessionID != tt.verdict.SessionID {
			t.Errorf("%s: %+v, want %q with the rest kept", tt.name, got, tt.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	at := time.Date(2026, 12, 2, 19, 47, 0, 0, time.UTC)
	limit := detect.Verdict{Kind: detect.Limit, Scope: detect.ScopeWeekly, ResetAt: at}
	none := detect.Verdict{Kind: detect.None}
	tests := []struct {
		name    string
		verdict detect.Verdict
		end     childEnd
		nested  bool
		want    breaker.Outcome
	}{
		{"answered", none, childEnd{}, false, breaker.Outcome{Kind: breaker.Success}},
		{"failed", none, childEnd{Exit: Exit{Code: 1}}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"killed", none, childEnd{Exit: Exit{Signal: syscall.SIGKILL}}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"status 0 after our signal", none, childEnd{byUs: true}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"limit", limit, childEnd{Exit: Exit{Code: 1}}, false, breaker.Outcome{Kind: breaker.Limit, Scope: breaker.ScopeWeekly, Until: at}},
		{"limit and status 0", limit, childEnd{}, false, breaker.Outcome{Kind: breaker.Limit, Scope: breaker.ScopeWeekly, Until: at}},
		{"limit, ended by us", limit, childEnd{byUs: true}, false, breaker.Outcome{Kind: breaker.Limit, Scope: breaker.ScopeWeekly, Until: at}},
		{"limit, interrupted", limit, childEnd{interrupted: syscall.SIGINT}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"answered, interrupted", none, childEnd{interrupted: syscall.SIGTERM}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"limit that another ralph-run saw", limit, childEnd{}, true, breaker.Outcome{Kind: breaker.Failure}},
		{"overloaded", detect.Verdict{Kind: detect.Overloaded}, childEnd{Exit: Exit{Code: 1}}, false, breaker.Outcome{Kind: breaker.Failure}},
		{"unavailable", detect.Verdict{Kind: detect.Unavailable}, childEnd{Exit: Exit{Code: 1}}, false, breaker.Outcome{Kind: breaker.Unavailable}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcome(tt.verdict, tt.end, tt.nested); got != tt.want {
				t.Errorf("outcome = %+v, want %+v", got, tt.want)
			}
		})
	}
}
