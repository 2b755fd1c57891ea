package detect

import (
	"strings"
	"testing"
	"time"
)

const (
	modelNotice = "\nYou've hit the rate limit for this model. Please switch models or wait for your limit to reset in 30 minutes. Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: ABCD:1234:5678)\n"
	logHead     = "2026-11-29T20:19:04.400Z [WARNING] [rust:model_events::producer] Model provider request failed "
	log429      = logHead + `{"stage":"inference","api_endpoint":"/chat/completions","http_status":429,"failure_kind":"http_error","retry_after_ms":60000}` + "\n"
	log500      = logHead + `{"stage":"inference","api_endpoint":"/chat/completions","http_status":500,"failure_kind":"http_error"}` + "\n"
	logSession  = "2026-11-29T20:19:03.985Z [INFO] Workspace initialized: 1b4bb903-04a9-4f22-871d-ed7d980a595e (checkpoints: 0)\n"
	subFailed   = "✗ General-purpose (model: mymodel) sub work\n  └ You've hit the rate limit for this model. Please switch models or wait…\n\n"
)

var standingTests = []struct {
	name     string
	pieces   []piece
	standing bool
	sure     bool
	waiting  int // limits of the series
}{
	{name: "nothing"},
	{name: "notice", pieces: []piece{{Stderr, []byte(modelNotice)}}, standing: true},
	{name: "notice without its newline", pieces: []piece{{Stderr, []byte(strings.TrimSpace(modelNotice))}}, standing: true},
	{name: "notice twice", pieces: []piece{{Stderr, []byte(modelNotice + modelNotice)}}, standing: true},
	{name: "notice and log", pieces: []piece{{Log, []byte(log429)}, {Stderr, []byte(modelNotice)}}, standing: true, sure: true, waiting: 1},
	{name: "closing block", pieces: []piece{{Stderr, []byte(modelNotice + "\nExiting…\n\n\nChanges    +0 -0\nRequests   0 Premium (14s)\nResume     copilot --resume=6947a4a4-5a63-493c-bc34-ee9e53c0e01a\n")}}, standing: true},
	{name: "on a terminal", pieces: []piece{{Terminal, []byte("Working on it.\r\n\r\n" + strings.ReplaceAll(modelNotice, "\n", "\r\n"))}}, standing: true},
	{name: "the model goes on, on a terminal", pieces: []piece{{Terminal, []byte(strings.ReplaceAll(modelNotice, "\n", "\r\n") + "● Done, all tests pass.\r\n")}}},
	{name: "an answer about it", pieces: []piece{{Stdout, []byte("429 Too Many Requests means that you hit a rate limit.\n")}}},
	{name: "an answer that is one", pieces: []piece{{Stdout, []byte(modelNotice)}}},
	{name: "a sub-agent's", pieces: []piece{{Log, []byte(log429)}, {Stderr, []byte(modelNotice)}, {Stdout, []byte(subFailed)}}},
	{name: "a sub-agent's, the other way round", pieces: []piece{{Log, []byte(log429)}, {Stdout, []byte(subFailed)}, {Stderr, []byte(modelNotice)}}},
	{name: "a sub-agent's, the log late", pieces: []piece{{Stderr, []byte(modelNotice)}, {Stdout, []byte(subFailed)}, {Log, []byte(log429)}}},
	{name: "retries", pieces: []piece{{Log, []byte(log429 + log429 + log429)}}, waiting: 3},
	{name: "retries, then an answer", pieces: []piece{{Log, []byte(log429 + log429)}, {Stdout, []byte("It works.\n")}}},
	{name: "retries, then another failure", pieces: []piece{{Log, []byte(log429 + log500)}}},
	{name: "another failure, then a limit", pieces: []piece{{Log, []byte(log500 + log429)}}, waiting: 1},
	{name: "a client's word is no answer", pieces: []piece{{Log, []byte(log429)}, {Stdout, []byte("● Request failed due to a transient API error. Retrying...\n")}}, waiting: 1},
	{name: "not inference", pieces: []piece{{Log, []byte(strings.Replace(log429, "inference", "catalog", 1))}}},
	{name: "json failure", pieces: []piece{{Stdout, []byte(callFailure + "\n")}}, waiting: 1},
	{name: "json failure of a sub-agent", pieces: []piece{{Stdout, []byte(strings.Replace(callFailure, `"id":`, `"agentId":"e037ad53","id":`, 1) + "\n")}}},
	{name: "json failure, then success", pieces: []piece{{Stdout, []byte(callFailure + "\n" + `{"type":"model.call_finished","data":{"turnId":"0","outcome":"success"},"id":"1"}` + "\n")}}},
	{name: "json error", pieces: []piece{{Stdout, []byte(callFailure + "\n" + sessionError + "\n")}}, standing: true, sure: true, waiting: 1},
	{name: "json error of a sub-agent", pieces: []piece{{Stdout, []byte(strings.Replace(sessionError, `"id":`, `"agentId":"e037ad53","id":`, 1) + "\n")}}},
}

const (
	callFailure  = `{"type":"model.call_failure","data":{"model":"m","statusCode":429,"retryAttempt":0,"failureKind":"api","source":"top_level","errorMessage":"{\"message\":\"slow down\",\"code\":\"user_model_rate_limited\"}","errorCode":"user_model_rate_limited"},"ephemeral":true,"id":"88da436d"}`
	sessionError = `{"type":"session.error","data":{"errorType":"rate_limit","message":"You've hit the rate limit for this model.","statusCode":429,"errorCode":"user_model_rate_limited","eligibleForAutoSwitch":true},"id":"85ea2106"}`
)

func TestStandingAndWaiting(t *testing.T) {
	for _, tt := range standingTests {
		t.Run(tt.name, func(t *testing.T) {
			d := New(Options{Client: "copilot", Split: true})
			for _, p := range tt.pieces {
				d.Feed(p.stream, p.data)
			}
			for range 2 { // asking changes nothing
				n, standing := d.Standing(recordedNow)
				if standing != tt.standing || n.Sure != tt.sure {
					t.Errorf("Standing = %+v, %t; want %t, sure %t", n, standing, tt.standing, tt.sure)
				}
				if w, _ := d.Waiting(recordedNow); w.Count != tt.waiting {
					t.Errorf("Waiting = %+v, want %d limits", w, tt.waiting)
				}
			}
		})
	}
}

// TestEndedByUs ends a client that waits: the status says nothing.
func TestEndedByUs(t *testing.T) {
	d := New(Options{Client: "copilot", Split: true})
	d.Feed(Log, []byte(logSession+log429+log429))
	w, ok := d.Waiting(recordedNow)
	if !ok || w.RetryAfter != time.Minute || w.Verdict.Kind != Limit {
		t.Fatalf("Waiting = %+v, %t", w, ok)
	}
	d.Feed(Stderr, []byte("\nExiting…\n"))
	v := d.Close(Exit{Code: 0, ByUs: true}, recordedNow)
	if v.Kind != Limit || v.RetryAfter != time.Minute || v.SessionID != "1b4bb903-04a9-4f22-871d-ed7d980a595e" || v.DidWork {
		t.Errorf("verdict %+v", v)
	}
}

// TestAnswerAfterStanding clears a notice that was told of, by what comes later
// on stdout; what may have been under way at the time does not.
func TestAnswerAfterStanding(t *testing.T) {
	d := New(Options{Client: "copilot", Split: true})
	d.Feed(Stderr, []byte(modelNotice))
	d.Feed(Stdout, []byte("Working on it.\n"))
	if _, ok := d.Standing(recordedNow); !ok {
		t.Fatal("output that may have been under way took the notice away")
	}
	d.Feed(Stdout, []byte("Done after all.\n"))
	if _, ok := d.Standing(recordedNow); ok {
		t.Error("the notice stands after an answer")
	}
	if v := d.Close(Exit{}, recordedNow); v.Kind != None {
		t.Errorf("verdict %s, want none", v.Kind)
	}
}

// TestWork tells whether a run did anything, and which session it was.
func TestWork(t *testing.T) {
	for _, rec := range recordings(t) {
		if rec.CLI != "copilot" {
			continue
		}
		v := feed(Options{Client: rec.CLI}, rec.pieces(t), rec.exit())
		// the second only knows of work from the first, which stands in its session
		want := strings.Contains(rec.Name, "tool-then-429") && rec.Mode != "silent" || strings.HasSuffix(rec.Name, "-1fail-pipe")
		if v.DidWork != want {
			t.Errorf("%s: work %t, want %t", rec.Name, v.DidWork, want)
		}
	}
}

// aRun are the pieces of one run, each with what is known after it.
var aRun = []struct {
	name     string
	piece    piece
	standing bool
	series   int
	count    int
}{
	{name: "the start", piece: piece{Log, []byte(logSession)}},
	{name: "a first limit", piece: piece{Log, []byte(log429)}, series: 1, count: 1},
	{name: "a second one", piece: piece{Log, []byte(log429)}, series: 1, count: 2},
	{name: "an answer", piece: piece{Stdout, []byte("It works.\n")}},
	{name: "a limit later on", piece: piece{Log, []byte(log429)}, series: 2, count: 1},
	{name: "another failure", piece: piece{Log, []byte(log500)}},
	{name: "half a notice", piece: piece{Stderr, []byte(modelNotice[:20])}},
	{name: "the rest of it", piece: piece{Stderr, []byte(modelNotice[20:])}, standing: true},
	{name: "the closing block", piece: piece{Stderr, []byte("\nChanges    +3 -1\nRequests   1 Premium (14s)\n")}, standing: true},
	{name: "an answer after all", piece: piece{Stdout, []byte("All of it is done.\n")}},
	{name: "the notice again", piece: piece{Stderr, []byte(modelNotice)}, standing: true},
}

// TestKnownAfterEachPiece asks after every piece of a run, as the watch does.
func TestKnownAfterEachPiece(t *testing.T) {
	d := New(Options{Client: "copilot", Split: true})
	for _, step := range aRun {
		d.Feed(step.piece.stream, step.piece.data)
		if n, ok := d.Standing(recordedNow); ok != step.standing {
			t.Errorf("after %s: Standing = %+v, %t, want %t", step.name, n, ok, step.standing)
		}
		if w, ok := d.Waiting(recordedNow); ok != (step.count > 0) || w.Count != step.count || ok && w.Series != step.series {
			t.Errorf("after %s: Waiting = %+v, %t, want %d limits of series %d", step.name, w, ok, step.count, step.series)
		}
	}
	v := d.Close(Exit{Code: 1}, recordedNow)
	if v.Kind != Limit || !v.DidWork || v.SessionID != "1b4bb903-04a9-4f22-871d-ed7d980a595e" {
		t.Errorf("verdict %+v, want a limit after work, with the session", v)
	}
}

var endTests = []struct {
	name   string
	client string
	pieces []piece
	exit   Exit
	want   Kind
}{
	{"ended by us on a notice", "copilot", []piece{{Stderr, []byte(modelNotice)}}, Exit{Code: 143, ByUs: true}, Limit},
	{"ended by us in retries", "copilot", []piece{{Log, []byte(log429 + log429)}}, Exit{Code: 143, ByUs: true}, Limit},
	{"ended by us after an answer", "copilot", []piece{{Log, []byte(log429)}, {Stdout, []byte("It works.\n")}}, Exit{Code: 143, ByUs: true}, None},
	{"ended by us, its status is a limit's", "copilot", nil, Exit{Code: 75, ByUs: true}, None},
	{"ended by itself with a limit's status", "copilot", nil, Exit{Code: 75}, Limit},
	{"a word, and ended by us", "other", []piece{{Stdout, []byte("Error: upstream answered with a rate limit\n")}}, Exit{Code: 143, ByUs: true}, None},
	{"a word, and failed", "other", []piece{{Stdout, []byte("Error: upstream answered with a rate limit\n")}}, Exit{Code: 1}, Limit},
}

// TestEnds holds what a status says, or does not say where it is of our signal.
func TestEnds(t *testing.T) {
	for _, tt := range endTests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Client: tt.client, Split: true, LimitExitCodes: []int{75}}
			if got := feed(o, tt.pieces, tt.exit); got.Kind != tt.want {
				t.Errorf("verdict %s by %q, want %s", got.Kind, got.Rule, tt.want)
			}
		})
	}
}

var sessionTests = []struct {
	name   string
	client string
	text   string
	id     string
}{
	{"copilot", "copilot", "Changes    +0 -0\nResume     copilot --resume=6947a4a4-5a63-493c-bc34-ee9e53c0e01a\n", "6947a4a4-5a63-493c-bc34-ee9e53c0e01a"},
	{"codex", "codex", "session id: 0199c0de-aaaa-7000-8000-123456789abc\n--------\n", "0199c0de-aaaa-7000-8000-123456789abc"},
	{"claude's events", "claude", claudeInit + "\n", "s-1234-5678"},
	{"none", "claude", "Resume the session: yes\n", ""},
}

const claudeInit = `{"type":"system","subtype":"init","session_id":"s-1234-5678","model":"claude-sonnet-4-6"}`

func TestSessionID(t *testing.T) {
	for _, tt := range sessionTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := feed(Options{Client: tt.client}, []piece{{Stdout, []byte(tt.text)}}, Exit{}).SessionID; got != tt.id {
				t.Errorf("session %q, want %q", got, tt.id)
			}
		})
	}
}
