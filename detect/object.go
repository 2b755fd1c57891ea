package detect

import (
	"bytes"
	"strings"
)

// maxObject bounds an object that is printed over several lines.
const maxObject = 8 << 10

// boring are events without any word on limits, by far the most.
var boring = set(`assistant.message_delta assistant.reasoning_delta assistant.reasoning assistant.tool_call_delta session.background_tasks_changed
tool.execution_partial_result tool.shell_output user.message session.tools_updated session.skills_loaded session.mcp_servers_loaded session.mcp_server_status_changed
session.info assistant.turn_start assistant.turn_end model.call_start assistant.idle abort session.usage_info assistant.usage user item.started item.updated stream_event
model.call_finished model.call_final_result turn.started subagent.started subagent.configured subagent.completed subagent.failed hook.start hook.end tool_result`)

// answers are events of the model itself.
var answers = set(`assistant.message assistant.message_start assistant.message_delta assistant.reasoning_delta assistant.tool_call_delta tool.execution_start
tool.execution_complete turn.completed text tool_use step_start reasoning message content`)

// object takes a row that begins with a brace, or goes on with an object over
// several lines. It reports whether the row was one, and so is no text.
func (r *run) object(id Stream, b []byte) bool {
	s := &r.streams[id]
	if len(s.object) > 0 {
		return r.moreObject(s, id, b)
	}
	if len(b) == 1 {
		s.object = append(s.object[:0:0], '{')
		return true
	}
	if last := b[len(b)-1]; last != '}' && last != ' ' && last != '\r' && len(b) < 4<<10 {
		return false // a part of an error's body, or no JSON
	}
	kind, _ := eventKind(b)
	if !r.found && !r.series.active && (boring[string(kind)] || r.work && s.thing == "" && answers[string(kind)]) {
		return string(kind) != "message" || !bytes.Contains(b, []byte(`"stopReason":"error"`)) || r.event(id, b)
	}
	return r.event(id, b)
}

// moreObject collects an object that was printed over several lines, up to the
// brace at the start of a line that ends it.
func (r *run) moreObject(s *side, id Stream, b []byte) bool {
	done := b[0] == '}'
	s.object = append(append(s.object[:len(s.object):len(s.object)], ' '), b...)
	if len(s.object) > maxObject {
		s.object = nil
		return false
	}
	if !done || !balanced(s.object) {
		return true
	}
	o := s.object
	s.object = nil
	r.event(id, o)
	return true
}

func balanced(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return depth <= 0
}

// moreBody collects the JSON body of an error that a line began, and judges
// both as one text.
func (r *run) moreBody(id Stream, b []byte) {
	s := &r.streams[id]
	json := bytes.IndexByte([]byte("\"'{}[]0123456789"), b[0]) >= 0 || strings.Count(s.body, `"`)%2 == 1
	if json && len(s.body) < 4<<10 {
		s.body += " " + string(b[:min(len(b), 1<<10)])
	}
	if at := strings.IndexByte(s.body, '{'); at >= 0 && json && len(s.body) < 4<<10 && !balanced([]byte(s.body[at:])) {
		return
	}
	text := s.body
	s.body = ""
	if f, ok := r.recognize(id, cleanLine([]byte(text[:min(len(text), 100)])), text, 0); ok {
		r.take(f)
	}
}

// eventKind is the value of "type" where it comes first, as all clients that
// print one event a line have it.
func eventKind(b []byte) (kind []byte, ok bool) {
	const head = `{"type":"`
	if !bytes.HasPrefix(b, []byte(head)) {
		return nil, false
	}
	n := bytes.IndexByte(b[len(head):min(len(b), len(head)+64)], '"')
	if n < 0 {
		return nil, false
	}
	return b[len(head) : len(head)+n], true
}

// event judges one whole object.
func (r *run) event(id Stream, b []byte) bool {
	e := r.d.events.read(b)
	if (e.kind == "" || strings.Contains(e.kind, "rror")) && !e.agent {
		r.streams[id].thing, r.streams[id].thingAt = cutText(string(b), 2<<10), r.streams[id].n+1
	}
	if e.agent {
		return true // a sub-agent's events alone never decide
	}
	if strings.Contains(e.kind, ".") && (id == Stdout || id == Terminal) {
		r.jsonl = true
	}
	if e.session != "" && len(e.session) <= 64 && (e.kind != "error" || r.session == "") {
		r.session = e.session
	}
	switch e.kind {
	case "session.error":
		r.ended(id, b, "copilot-session-error", e)
	case "model.call_failure":
		r.retried(id, b, "copilot-call-failure", e)
	case "assistant.turn_retry":
		if e.reason != "rate_limit" {
			r.failed()
		}
	case "model.call_finished", "model.call_final_result":
		if e.outcome == "success" {
			r.answer()
		}
	case "result":
		r.result(id, b, e)
	case "assistant":
		r.assistant(id, b, e)
	case "system":
		if e.subtype == "api_retry" || e.subtype == "api_error" {
			r.retried(id, b, "claude-retry", e)
		}
	case "rate_limit_event":
		if e.outcome == "rejected" {
			f := r.finding(id, b, "claude-retry", Limit, ScopeAccount, e)
			f.retries, f.kind = true, notice
			r.take(f)
		}
	case "error", "turn.failed":
		r.errorEvent(id, b, e)
	case "turn.ended": // of codex' app server
		if e.message != "" {
			e.kind = "turn.failed"
			r.errorEvent(id, b, e)
		}
	case "auto_retry_start":
		r.retried(id, b, "retry-event", e)
	case "item.completed":
		r.item(e)
	case "ask":
		if e.outcome == "api_req_failed" {
			r.ended(id, b, "error-event", e)
		}
	case "say":
		if e.outcome == "text" || e.outcome == "completion_result" {
			r.answer()
		}
	case "message":
		r.message(id, b, e)
	default:
		r.otherEvent(id, b, e)
	}
	return true
}

// message is a message of a session, and the model's own error where it has
// stopped on one.
func (r *run) message(id Stream, b []byte, e *event) {
	switch {
	case e.isError:
		r.ended(id, b, "error-event", e)
	case e.outcome == "assistant":
		r.answer()
	}
}

func (r *run) otherEvent(id Stream, b []byte, e *event) {
	switch {
	case answers[e.kind]:
		r.work = r.work || strings.HasPrefix(e.kind, "tool")
		r.answer()
	case e.hasError && (e.kind == "" || e.kind == "error"):
		r.errorObject(id, b, e)
	}
}

func (r *run) finding(id Stream, b []byte, name string, v Kind, scope Scope, e *event) finding {
	text := e.message
	if text == "" {
		text = cutText(string(b), rowBytes)
	} else if e.code != "" {
		text += " (" + strings.TrimSpace(e.code) + ")"
	}
	when := e.message
	if e.resetsAt != "" {
		when += ` "resetsAt":` + e.resetsAt
	}
	return finding{name: name, kind: structured, verdict: v, scope: scope, sure: scope != ScopeUnknown && scope != "", text: text, when: when, wait: e.wait, stream: id, line: r.streams[id].n + 1}
}

// ended is an error event that is final.
func (r *run) ended(id Stream, b []byte, name string, e *event) {
	v, scope := e.judge(r.d)
	r.take(r.finding(id, b, name, v, scope, e))
}

// retried is a failed call that the client may try again.
func (r *run) retried(id Stream, b []byte, name string, e *event) {
	if v, scope := e.judge(r.d); v == Limit {
		r.limited(r.finding(id, b, name, v, scope, e))
		return
	}
	r.failed()
}

func (r *run) result(id Stream, b []byte, e *event) {
	r.work = r.work || e.changed
	switch {
	case e.isError || e.hasError:
		r.ended(id, b, "claude-result", e)
	case e.subtype != "" || e.outcome == "success":
		r.answer()
	}
}

func (r *run) assistant(id Stream, b []byte, e *event) {
	if strings.Contains(e.item, "tool_use") {
		r.work = true
	}
	if e.hasError {
		r.ended(id, b, "claude-message", e)
		return
	}
	if bytes.Contains(b, []byte(`"model":"<synthetic>"`)) {
		return
	}
	r.answer()
}

func (r *run) errorEvent(id Stream, b []byte, e *event) {
	name := "error-event"
	if e.kind == "turn.failed" || e.session == "" && !e.hasError {
		name = "codex-error"
	}
	if e.session == "" && e.kind == "error" && e.hasError && !e.retries {
		r.errorObject(id, b, e)
		return
	}
	if strings.HasPrefix(e.message, "Reconnecting") || e.retries {
		r.retried(id, b, name, e)
		return
	}
	r.ended(id, b, name, e)
}

func (r *run) item(e *event) {
	switch {
	case strings.Contains(e.item, "error"):
	case strings.Contains(e.item, "agent_message"), strings.Contains(e.item, "reasoning"):
		r.answer()
	default:
		r.work = true
		r.answer()
	}
}

// errorObject is an error as a provider's server sends it. It decides only
// with a code or a message that is known: an app may print such an object, too.
func (r *run) errorObject(id Stream, b []byte, e *event) {
	text := "error: " + e.message + " " + e.code
	v := r.d.view(text, false)
	if v.rule < 0 || rules[v.rule].kind == word || rules[v.rule].verdict == None {
		return
	}
	f := r.finding(id, b, "error-object", rules[v.rule].verdict, "", e)
	f.kind = code
	f.scope, f.sure = scopeOf(strings.ToLower(text), rules[v.rule].scope)
	if v.talk != "" {
		r.explain(f, false, v.talk)
		return
	}
	r.take(f)
}
