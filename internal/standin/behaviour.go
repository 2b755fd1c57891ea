package standin

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// A Behaviour says how a model answers its nth request, counted from 0, in a
// conversation that does or does not hold a tool's result.
type Behaviour func(nth int, toolResult bool) Answer

// An Answer is what the server says to one request. The zero value is an answer
// without text.
type Answer struct {
	Text string // the model's words
	Tool string // a shell command that the model wants to run
	Cut  bool   // the stream breaks after the first words

	Status     int           // an error status; 0 = 200
	Code       string        // the typed code in an error's body
	Message    string        // the message in an error's body
	RetryAfter time.Duration // 0 = no Retry-After header
}

// Fine answers every request with text.
func Fine(text string) Behaviour { return always(Answer{Text: text}) }

// Fail answers every request with an error status.
func Fail(status int, message string) Behaviour {
	return always(Answer{Status: status, Message: message})
}

// Limit answers every request with 429 and a message; code and retryAfter are
// left out where they are empty.
func Limit(code string, retryAfter time.Duration) Behaviour {
	return always(Answer{Status: http.StatusTooManyRequests, Code: code, Message: limitMessage, RetryAfter: retryAfter})
}

// NoQuota answers every request with 402 and the code quota_exceeded.
func NoQuota() Behaviour {
	return always(Answer{Status: http.StatusPaymentRequired, Code: "quota_exceeded", Message: quotaMessage})
}

// Cut breaks off every answer in the middle of its stream.
func Cut() Behaviour { return always(Answer{Text: "This answer breaks off here", Cut: true}) }

// After behaves like first for n requests, then like the second.
func After(n int, first, then Behaviour) Behaviour {
	return func(nth int, toolResult bool) Answer {
		if nth < n {
			return first(nth, toolResult)
		}
		return then(nth-n, toolResult)
	}
}

// Tool asks for a shell command to be run, and once the conversation holds a
// tool's result behaves like then.
func Tool(command string, then Behaviour) Behaviour {
	return func(nth int, toolResult bool) Answer {
		if toolResult {
			return then(nth, toolResult)
		}
		return Answer{Text: "Working on it.", Tool: command}
	}
}

const (
	limitMessage = "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period."
	quotaMessage = "You have exceeded your premium request allowance."
	requestID    = "ABCD:1234:5678"
)

func always(a Answer) Behaviour { return func(int, bool) Answer { return a } }

func notOffered(model string) Answer {
	return Answer{Status: http.StatusNotFound, Code: "model_not_found", Message: "The model `" + model + "` does not exist."}
}

func (a Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

func (a Answer) write(w http.ResponseWriter, model string, wire wire) {
	w.Header().Set("X-Request-Id", requestID)
	w.Header().Set("X-Github-Request-Id", requestID)
	if a.Status != 0 {
		if a.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(a.RetryAfter/time.Second)))
		}
		e := object{"message": a.Message}
		if a.Code != "" {
			e["code"] = a.Code
		}
		writeJSON(w, a.Status, object{"error": e})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	events := stream{w: w}
	if a.Cut {
		wire.begin(events, model, a.Text)
		panic(http.ErrAbortHandler) // the connection drops, as net/http documents it
	}
	wire.answer(events, model, a)
}

type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
