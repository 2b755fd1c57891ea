package standin

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

var paths = []string{"/chat/completions", "/v1/chat/completions", "/v1/responses", "/v1/messages"}

// toolResults holds, for every path, a conversation with a tool's result.
var toolResults = map[string]string{
	"/chat/completions":    `"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"call_1","content":"y"}]`,
	"/v1/chat/completions": `"messages":[{"role":"tool","tool_call_id":"call_1","content":"y"}]`,
	"/v1/responses":        `"input":[{"type":"function_call_output","call_id":"call_1","output":"y"}]`,
	"/v1/messages":         `"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1"}]}]`,
}

var answerTests = []struct {
	name       string
	behave     Behaviour
	status     []int // of the first, second, … request
	retryAfter string
	body       string // in the last answer
}{
	{"fine", Fine("The answer is 7."), []int{200, 200}, "", "The answer is 7."},
	{"limit with a code and a time", Limit("user_model_rate_limited", 30*time.Minute), []int{429, 429}, "1800", `"code":"user_model_rate_limited"`},
	{"limit without either", Limit("", 0), []int{429}, "", limitMessage},
	{"no quota", NoQuota(), []int{402}, "", `"code":"quota_exceeded"`},
	{"fail", Fail(503, "Service unavailable"), []int{503, 503}, "", "Service unavailable"},
	{"recovers after two", After(2, Limit("", 2*time.Second), Fine("Recovered.")), []int{429, 429, 200, 200}, "", "Recovered."},
	{"tool", Tool("echo once", Fine("Done.")), []int{200}, "", "echo once"},
}

// TestAnswers asks every path in turn: the format changes, the behaviour not.
func TestAnswers(t *testing.T) {
	for _, tt := range answerTests {
		for _, path := range paths {
			t.Run(tt.name+path, func(t *testing.T) {
				s := start(t, map[string]Behaviour{"m": tt.behave})
				var resp *http.Response
				var body string
				for i, want := range tt.status {
					resp, body = ask(t, s, path, `{"model":"m"}`)
					if resp.StatusCode != want {
						t.Fatalf("request %d: status %d, want %d", i, resp.StatusCode, want)
					}
				}
				if got := resp.Header.Get("Retry-After"); got != tt.retryAfter {
					t.Errorf("Retry-After = %q, want %q", got, tt.retryAfter)
				}
				if !strings.Contains(body, tt.body) {
					t.Errorf("body = %q, want it to hold %q", body, tt.body)
				}
			})
		}
	}
}

// TestEvents checks that a streamed answer is a sequence of events whose data
// is JSON, with the end that each format has.
func TestEvents(t *testing.T) {
	ends := map[string]string{
		"/chat/completions": "[DONE]", "/v1/chat/completions": "[DONE]",
		"/v1/responses": "response.completed", "/v1/messages": "message_stop",
	}
	s := start(t, map[string]Behaviour{"m": Tool("true", Fine("Done."))})
	for _, path := range paths {
		resp, body := ask(t, s, path, `{"model":"m"}`)
		if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("%s: Content-Type = %q", path, got)
		}
		last := ""
		for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
			data, isData := strings.CutPrefix(lines.Text(), "data: ")
			if !isData {
				continue
			}
			last = data
			if data != "[DONE]" && !json.Valid([]byte(data)) {
				t.Errorf("%s: data %q is no JSON", path, data)
			}
		}
		if !strings.Contains(last, ends[path]) {
			t.Errorf("%s: last event = %q, want %q in it", path, last, ends[path])
		}
	}
}

func TestToolRunsOnce(t *testing.T) {
	for _, path := range paths {
		s := start(t, map[string]Behaviour{"m": Tool("true", Limit("", 0))})
		if resp, _ := ask(t, s, path, `{"model":"m"}`); resp.StatusCode != 200 {
			t.Errorf("%s, before the tool: status %d, want 200", path, resp.StatusCode)
		}
		if resp, _ := ask(t, s, path, `{"model":"m",`+toolResults[path]+`}`); resp.StatusCode != 429 {
			t.Errorf("%s, after the tool: status %d, want 429", path, resp.StatusCode)
		}
		log := s.Requests()
		if len(log) != 2 || log[0].ToolResult || !log[1].ToolResult {
			t.Errorf("%s: log = %+v, want a tool's result in the second request only", path, log)
		}
	}
}

func TestCutDropsTheConnection(t *testing.T) {
	s := start(t, map[string]Behaviour{"m": Cut()})
	for _, path := range paths {
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(`{"model":"m"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil || !strings.Contains(string(body), "breaks off") {
			t.Errorf("%s: read %q, error %v; want the beginning, then an error", path, body, err)
		}
	}
}

func TestLog(t *testing.T) {
	s := start(t, map[string]Behaviour{"a": Fine("x"), "b": Limit("", 0)})
	before, arrived := time.Now(), s.Arrival()
	ask(t, s, "/chat/completions", `{"model":"a"}`)
	<-arrived
	ask(t, s, "/v1/messages", `{"model":"b"}`)
	ask(t, s, "/v1/messages", `{"model":"nobody"}`)
	all := s.Requests()
	if len(all) != 3 || all[0].Model != "a" || all[1].Status != 429 || all[2].Status != 404 {
		t.Fatalf("Requests() = %+v", all)
	}
	if all[0].Time.Before(before) || all[1].Time.Before(all[0].Time) {
		t.Errorf("times run backwards: %+v", all)
	}
	if got := s.Requests("b"); len(got) != 1 || got[0].Path != "/v1/messages" {
		t.Errorf("Requests(b) = %+v", got)
	}
}

func TestAccount(t *testing.T) {
	s := start(t, map[string]Behaviour{"b": Fine(""), "a": Fine("")})
	var models struct{ Data []struct{ ID string } }
	var user struct {
		Endpoints struct{ API string }
	}
	get(t, s.URL+"/models", &models)
	get(t, s.URL+"/copilot_internal/user", &user)
	if len(models.Data) != 2 || models.Data[0].ID != "a" {
		t.Errorf("models = %+v, want a and b", models)
	}
	if user.Endpoints.API != s.URL {
		t.Errorf("the service lives at %q, want %q", user.Endpoints.API, s.URL)
	}
}

func TestOnlyLoopback(t *testing.T) {
	u, err := url.Parse(start(t, nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); !ip.IsLoopback() {
		t.Errorf("listens on %v", ip)
	}
}

func start(t *testing.T, models map[string]Behaviour) *Server {
	t.Helper()
	s, err := Start(models)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func ask(t *testing.T, s *Server, path, body string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func get(t *testing.T, url string, v any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}
