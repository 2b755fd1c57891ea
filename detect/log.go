package detect

import (
	"bytes"
	"strconv"
)

// logLine reads a line of copilot's own log. Only what a provider answered and
// the session's id are of interest.
func (r *run) logLine(b []byte) {
	if at := bytes.Index(b, []byte("Workspace initialized: ")); at >= 0 && r.session == "" {
		id, _, _ := bytes.Cut(b[at+len("Workspace initialized: "):], []byte(" "))
		if len(id) <= 64 {
			r.session = string(id)
		}
		return
	}
	at := bytes.Index(b, []byte("request failed {"))
	if at < 0 || !bytes.Contains(b[:at], []byte("model_events")) {
		return
	}
	var status int
	var wait int64
	stage, detailed := "inference", false
	eachScalar(b[at+len("request failed "):], func(path, v []byte, quoted bool) {
		switch string(path) {
		case "http_status":
			status, _ = strconv.Atoi(string(v))
			detailed = true
		case "retry_after_ms":
			wait, _ = strconv.ParseInt(string(v), 10, 64)
		case "stage":
			stage = string(v)
		}
	})
	if stage != "inference" {
		return
	}
	if status != 429 && status != 402 || !detailed {
		if !r.jsonl {
			r.failed()
		}
		return
	}
	f := finding{name: "copilot-log", kind: structured, verdict: Limit, scope: ScopeUnknown, text: string(b[at-len("Model provider "):]), wait: wait, stream: Log, line: r.streams[Log].n}
	if status == 402 {
		f.scope = ScopeAccount
	}
	switch {
	case r.jsonl:
		r.series.last.wait = wait // the events tell whose it was, the log when it ends
	case r.absorb:
		r.absorb = false
	default:
		r.limited(f)
	}
}
