// Package standin is a loopback server that answers as the servers behind the
// Copilot CLI do, with a behaviour of its own for every model: fine, limited in
// each of the ways GitHub limits, broken, recovering, or calling a tool first.
//
// It stands in for both of the client's paths: the service of a logged-in user
// (/models, /chat/completions and a few more) and a provider of the user's own
// (/v1/chat/completions, /v1/responses, /v1/messages). It listens on 127.0.0.1
// only, and logs every model request with its time, so that a test can say when
// something happened instead of guessing.
//
// It knows nothing of a client's session: what it answers depends on the model,
// on how often that model was asked, and on whether the conversation already
// holds a tool's result.
package standin

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Request is one request to a model, as the server's log keeps it.
type Request struct {
	Time       time.Time
	Path       string
	Model      string
	Status     int  // the status it was answered with
	ToolResult bool // the conversation already held a tool's result
	Body       []byte
}

// A Server is a running stand-in. Its methods may be called by several
// goroutines at once.
type Server struct {
	URL string // http://127.0.0.1:PORT

	http     *http.Server
	mu       sync.Mutex
	models   map[string]Behaviour
	log      []Request
	arrivals chan struct{} // closed and replaced when the log grows
}

// Start starts a stand-in on a free port of 127.0.0.1. The models are those
// that it offers; asked for another one, it answers 404.
func Start(models map[string]Behaviour) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), models: models, arrivals: make(chan struct{})}
	s.http = &http.Server{Handler: s.routes()}
	go s.http.Serve(l)
	return s, nil
}

// Close stops the server and drops its connections.
func (s *Server) Close() error { return s.http.Close() }

// Requests returns the requests to models so far, oldest first; with names, only
// the requests to these models.
func (s *Server) Requests(models ...string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.log), func(r Request) bool {
		return len(models) > 0 && !slices.Contains(models, r.Model)
	})
}

// Arrival returns a channel that is closed when the next request to a model has
// been logged.
func (s *Server) Arrival() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrivals
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /copilot_internal/user", s.serveAccount)
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, object{"login": login, "id": 1})
	})
	mux.HandleFunc("GET /models", s.serveModels)
	for path, wire := range map[string]wire{
		"/chat/completions":    completions{},
		"/v1/chat/completions": completions{},
		"/v1/responses":        responses{},
		"/v1/messages":         messages{},
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { s.serveModel(w, r, wire) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, object{"message": "Not Found"})
	})
	return mux
}

func (s *Server) serveModel(w http.ResponseWriter, r *http.Request, wire wire) {
	now := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	var ask struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(body, &ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := s.take(Request{Time: now, Path: r.URL.Path, Model: ask.Model, ToolResult: wire.hasToolResult(body), Body: body})
	answer.write(w, ask.Model, wire)
}

// take logs a request and says how to answer it.
func (s *Server) take(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := notOffered(r.Model)
	if behave, ok := s.models[r.Model]; ok {
		nth := 0
		for _, old := range s.log {
			if old.Model == r.Model {
				nth++
			}
		}
		answer = behave(nth, r.ToolResult)
	}
	r.Status = answer.status()
	s.log = append(s.log, r)
	close(s.arrivals)
	s.arrivals = make(chan struct{})
	return answer
}
