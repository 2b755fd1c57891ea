package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A wire is one of the formats in which a client and a model's server talk.
type wire interface {
	// hasToolResult reports a tool's result in a request's body.
	hasToolResult(body []byte) bool
	// begin starts an answer and never ends it.
	begin(s stream, model, text string)
	// answer is a whole answer.
	answer(s stream, model string, a Answer)
}

// A stream is a response of Server-Sent Events.
type stream struct{ w http.ResponseWriter }

func (s stream) send(event string, data any) {
	text, isText := data.(string)
	if !isText {
		b, err := json.Marshal(data)
		if err != nil {
			panic(err) // only literals of this package come here
		}
		text = string(b)
	}
	if event != "" {
		fmt.Fprintf(s.w, "event: %s\n", event)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", text)
	s.w.(http.Flusher).Flush()
}

// toolInput is what the client's shell tool takes.
func toolInput(command string) string {
	b, _ := json.Marshal(object{"command": command, "description": "do the work"})
	return string(b)
}

const (
	toolName = "bash"
	toolCall = "call_1"
)

// completions is OpenAI's chat completions, which Copilot's service speaks too.
type completions struct{}

func (completions) hasToolResult(body []byte) bool {
	var ask struct {
		Messages []struct {
			Role string `json:"role"`
		} `json:"messages"`
	}
	json.Unmarshal(body, &ask)
	for _, m := range ask.Messages {
		if m.Role == "tool" {
			return true
		}
	}
	return false
}

func (completions) chunk(model string, delta object, finish any) object {
	return object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": model,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func (c completions) begin(s stream, model, text string) {
	s.send("", c.chunk(model, object{"role": "assistant", "content": text}, nil))
}

func (c completions) answer(s stream, model string, a Answer) {
	c.begin(s, model, a.Text)
	finish := "stop"
	if a.Tool != "" {
		finish = "tool_calls"
		s.send("", c.chunk(model, object{"tool_calls": []object{{
			"index": 0, "id": toolCall, "type": "function",
			"function": object{"name": toolName, "arguments": toolInput(a.Tool)},
		}}}, nil))
	}
	last := c.chunk(model, object{}, finish)
	last["usage"] = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	s.send("", last)
	s.send("", "[DONE]")
}

// responses is OpenAI's newer format.
type responses struct{}

func (responses) hasToolResult(body []byte) bool {
	return bytes.Contains(body, []byte(`"function_call_output"`))
}

func (responses) begin(s stream, model, text string) {
	s.send("response.created", object{"type": "response.created",
		"response": object{"id": "resp_1", "object": "response", "model": model, "status": "in_progress", "output": []object{}}})
	s.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": 0,
		"item": object{"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []object{}}})
	s.send("response.content_part.added", object{"type": "response.content_part.added", "item_id": "msg_1",
		"output_index": 0, "content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}}})
	s.send("response.output_text.delta", object{"type": "response.output_text.delta", "item_id": "msg_1",
		"output_index": 0, "content_index": 0, "delta": text})
}

func (r responses) answer(s stream, model string, a Answer) {
	r.begin(s, model, a.Text)
	output := []object{{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": a.Text, "annotations": []object{}}}}}
	s.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": output[0]})
	if a.Tool != "" {
		call := object{"id": "fc_1", "type": "function_call", "call_id": toolCall, "name": toolName,
			"arguments": toolInput(a.Tool), "status": "completed"}
		output = append(output, call)
		s.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": 1, "item": call})
		s.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": 1, "item": call})
	}
	s.send("response.completed", object{"type": "response.completed",
		"response": object{"id": "resp_1", "object": "response", "model": model, "status": "completed", "output": output,
			"usage": object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}})
}

// messages is Anthropic's format.
type messages struct{}

func (messages) hasToolResult(body []byte) bool {
	return bytes.Contains(body, []byte(`"tool_result"`))
}

func (messages) begin(s stream, model, text string) {
	s.send("message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []object{},
		"usage": object{"input_tokens": 10, "output_tokens": 1}}})
	s.send("content_block_start", object{"type": "content_block_start", "index": 0,
		"content_block": object{"type": "text", "text": ""}})
	s.send("content_block_delta", object{"type": "content_block_delta", "index": 0,
		"delta": object{"type": "text_delta", "text": text}})
}

func (m messages) answer(s stream, model string, a Answer) {
	m.begin(s, model, a.Text)
	s.send("content_block_stop", object{"type": "content_block_stop", "index": 0})
	stop := "end_turn"
	if a.Tool != "" {
		stop = "tool_use"
		s.send("content_block_start", object{"type": "content_block_start", "index": 1,
			"content_block": object{"type": "tool_use", "id": toolCall, "name": toolName, "input": object{}}})
		s.send("content_block_delta", object{"type": "content_block_delta", "index": 1,
			"delta": object{"type": "input_json_delta", "partial_json": toolInput(a.Tool)}})
		s.send("content_block_stop", object{"type": "content_block_stop", "index": 1})
	}
	s.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop},
		"usage": object{"output_tokens": 5}})
	s.send("message_stop", object{"type": "message_stop"})
}
