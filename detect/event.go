package detect

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"sync"
)

// eventRules are read from JSON events and the log by code, and from the exit
// status; the patterns of the other rules only speak for their messages.
var eventRules = []rule{
	{name: "copilot-session-error", client: "copilot", kind: structured, verdict: Limit,
		example: `{"type":"session.error","data":{"errorType":"rate_limit","message":"You've hit the rate limit for this model.","statusCode":429,"errorCode":"user_model_rate_limited","eligibleForAutoSwitch":true}}`},
	{name: "copilot-call-failure", client: "copilot", kind: structured, verdict: Limit, retries: true,
		example: `{"type":"model.call_failure","data":{"model":"claude-sonnet-4.6","statusCode":429,"retryAttempt":0,"failureKind":"api","source":"top_level","errorMessage":"{\"message\":\"slow down\",\"code\":\"rate_limited\"}"}}`},
	{name: "copilot-log", client: "copilot", kind: structured, verdict: Limit, retries: true,
		example: `2026-11-29T20:19:04.400Z [WARNING] [rust:model_events::producer] Model provider request failed {"stage":"inference","api_endpoint":"/chat/completions","http_status":429,"failure_kind":"http_error","retry_after_ms":900000}`},
	{name: "claude-result", client: "claude", kind: structured, verdict: Limit,
		example: `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":22,"result":"You've hit your session limit · resets 3:50pm (Asia/Tokyo)"}`},
	{name: "claude-message", client: "claude", kind: structured, verdict: Limit,
		example: `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"You've hit your limit · resets 4pm (Asia/Kuala_Lumpur)"}]},"error":"rate_limit","parent_tool_use_id":null}`},
	{name: "claude-retry", client: "claude", kind: structured, verdict: Limit, retries: true,
		example: `{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"retry_delay_ms":4000,"error_status":429,"error":"rate_limit"}`},
	{name: "codex-error", client: "codex", kind: structured, verdict: Limit,
		example: `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}`},
	{name: "error-event", kind: structured, verdict: Limit,
		example: `{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"Rate limit reached for requests","statusCode":429,"isRetryable":true,"responseHeaders":{"retry-after":"2"}}}}`},
	{name: "retry-event", kind: structured, verdict: Limit, retries: true,
		example: `{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"Cloud Code Assist API error (429): You have exhausted your capacity on this model."}`},
	{name: "error-object", kind: code, verdict: Limit,
		example: `{"error":{"message":"You've reached your weekly (7-day) usage limit. Your quota will be refreshed in the next cycle.","type":"access_terminated_error"}}`},
	{name: "exit-code", kind: exit, verdict: Limit,
		example: `173`},
	{name: "match", kind: notice, verdict: Limit,
		example: `the model is having a nap`},
}

// An event is what is of interest in a JSON object of a client's stream.
type event struct {
	kind, subtype     string
	agent             bool // a sub-agent's
	status            int
	code              string // all that may be a typed code, blank-separated
	message           string
	reason, item      string
	outcome           string
	wait              int64
	isError, hasError bool
	retries           bool
	session, before   string // and that of the event before
	changed           bool
	resetsAt          string
}

// An eventReader reads one object after the other, always into the same event.
type eventReader struct {
	json jsonReader
	event
}

func (r *eventReader) read(b []byte) *event {
	if r.json.each == nil {
		r.json.each = r.event.set
	}
	r.event = event{before: cmp.Or(r.session, r.before)}
	r.json.in, r.json.path = b, r.json.path[:0]
	r.json.value(0)
	r.json.in = nil
	return &r.event
}

// eventNames are the kinds that most events are of: they need no storage.
var eventNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, names := range []map[string]bool{boring, answers, set("result system success error assistant item.completed init")} {
		for name := range names {
			all[name] = name
		}
	}
	return all
})

func eventName(v []byte) string {
	if name, ok := eventNames()[string(v)]; ok {
		return name
	}
	return string(v)
}

func (e *event) set(path, v []byte, quoted bool) {
	key := path[bytes.LastIndexByte(path, '.')+1:]
	null := !quoted && string(v) == "null"
	text := func() string { return unescape(v, 2<<10) }
	switch string(path) {
	case "type":
		e.kind = eventName(v)
		return
	case "method":
		if e.kind == "" {
			e.kind = strings.ReplaceAll(string(v), "/", ".") // codex' app server
		}
		return
	case "params.willRetry":
		e.retries = string(v) == "true"
	case "params.turn.status":
		if string(v) == "failed" {
			e.kind = "turn.ended"
		}
	case "subtype":
		e.subtype = eventName(v)
	case "error", "data.error":
		if quoted && len(v) > 0 {
			e.hasError, e.code = true, e.code+" "+text()
			e.message = join(e.message, text())
		}
		return
	case "agentId", "parent_tool_use_id", "data.parentToolCallId", "data.agentId":
		e.agent = e.agent || !null && len(v) > 0
	case "data.source", "data.initiator":
		e.agent = e.agent || bytes.Contains(v, []byte("agent")) && string(path) == "data.initiator" || string(v) == "subagent"
	case "sessionId", "session_id", "sessionID", "thread_id", "data.sessionId", "params.threadId":
		if e.session = e.before; e.session != string(v) {
			e.session = string(v)
		}
	case "item.type", "part.type", "message.content.type":
		e.item += " " + string(v)
	case "is_error":
		e.isError = string(v) == "true"
	case "data.outcome", "data.result", "data.reason", "status", "role", "ask", "say", "message.role":
		e.outcome, e.reason = text(), text()
	case "message.stopReason":
		e.isError = e.isError || string(v) == "error"
	case "rate_limit_info.status":
		e.outcome = string(v)
	case "rate_limit_info.resetsAt":
		e.resetsAt = string(v)
	case "usage.codeChanges.linesAdded", "usage.codeChanges.linesRemoved":
		e.changed = e.changed || string(v) != "0"
	case "usage.codeChanges.filesModified":
		e.changed = true
	}
	inError := bytes.HasPrefix(path, []byte("error.")) || bytes.HasPrefix(path, []byte("data.error.")) || bytes.HasPrefix(path, []byte("params.error."))
	e.hasError = e.hasError || inError
	switch string(key) {
	case "statusCode", "status_code", "http_status", "api_error_status", "error_status", "httpStatus":
		e.number(v)
	case "code", "errorCode", "errorType", "error_code", "error_type":
		if !quoted {
			e.number(v)
		} else {
			e.code += " " + text()
		}
	case "type", "status", "name", "reason", "quotaId":
		if quoted && inError {
			e.code += " " + text()
		}
	case "details":
		if quoted && inError && e.message == "Internal error" {
			e.message = text()
		}
	case "message", "errorMessage", "result", "error_message", "responseBody", "text", "detail":
		if quoted && (e.kind != "assistant" || string(key) == "text") {
			e.message = join(e.message, text())
		}
	case "retry-after", "retryAfter", "retry_after", "retry_after_seconds":
		n, _ := strconv.ParseFloat(string(v), 64)
		e.wait = int64(n * 1000)
	case "retry_after_ms", "retryAfterMs", "delayMs", "retryDelayMs":
		e.wait, _ = strconv.ParseInt(string(v), 10, 64)
	case "retryDelay":
		e.message = join(e.message, `"retryDelay":"`+text()+`"`)
	case "resetsAt", "resets_at", "reset_at", "resetAt":
		e.resetsAt = string(v)
	}
}

func (e *event) number(v []byte) {
	if n, err := strconv.Atoi(string(v)); err == nil && n >= 400 && n < 600 {
		e.status = n
	}
}

func join(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return cutText(a+" "+b, 3<<10)
}

// judge classifies the error that an event tells of.
func (e *event) judge(d *Detector) (verdict Kind, scope Scope) {
	v := d.view("error: "+e.message+e.code, false)
	if v.rule < 0 || v.talk != "" || rules[v.rule].verdict == None && (e.status == 429 || e.status == 402) {
		if verdict, scope = e.byStatus(); verdict == None {
			return e.byWords()
		}
		return verdict, scope
	}
	if rules[v.rule].verdict == Limit && e.status >= 500 && e.status != 529 {
		return e.byStatus()
	}
	return rules[v.rule].verdict, v.said
}

// byWords reads a message that no rule knows.
func (e *event) byWords() (Kind, Scope) {
	m := newMessage("error: "+e.message+" "+e.code, "", true)
	switch verdict, _ := m.read(); verdict {
	case Limit:
		scope, _ := scopeOf(strings.ToLower(m.text), ScopeUnknown)
		return Limit, scope
	case Overloaded, Unavailable:
		return verdict, ScopeModel
	}
	return None, ""
}

func (e *event) byStatus() (Kind, Scope) {
	scope, _ := scopeOf(strings.ToLower(e.message+e.code), ScopeUnknown)
	code := strings.Fields(e.code)
	has := func(c string) bool {
		for _, f := range code {
			if f == c {
				return true
			}
		}
		return false
	}
	switch {
	case e.status == 529, e.status == 503 && strings.Contains(strings.ToLower(e.message), "overload"):
		return Overloaded, ScopeModel
	case e.status == 429, has("rate_limit"), has("rate_limited"):
		return Limit, scope
	case e.status == 402, has("quota"):
		return Limit, ScopeAccount
	}
	return None, ""
}
