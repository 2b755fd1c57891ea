package supervisor

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// A play is a fake stage: every start runs the next scene. It is used inside a
// synctest bubble, so that its hours take no time.
type play struct {
	keyboard bool
	scenes   []func(*actor) Exit

	mu     sync.Mutex
	specs  []childSpec
	sig    os.Signal
	signal chan struct{}
}

func newPlay(scenes ...func(*actor) Exit) *play {
	return &play{scenes: scenes}
}

func (p *play) interactive() bool { return p.keyboard }
func (p *play) apart() bool       { return true }

func (p *play) interrupted() (os.Signal, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sig, p.signal
}

// interrupt is somebody who asks us to end.
func (p *play) interrupt(s os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sig = s
	close(p.signal)
}

func (p *play) start(spec childSpec) (running, error) {
	if len(p.scenes) == len(p.specs) {
		return nil, &StartError{Command: spec.argv[0], Status: 127, Err: os.ErrNotExist}
	}
	a := &actor{play: p, spec: spec, ended: make(chan struct{}), stopped: make(chan struct{})}
	p.specs = append(p.specs, spec)
	scene := p.scenes[len(p.specs)-1]
	go func() {
		defer close(a.ended)
		a.end.Exit = scene(a)
		sig, _ := p.interrupted()
		a.end.interrupted = sig
		select {
		case <-a.stopped:
			a.end.byUs = true
		default:
		}
	}()
	return a, nil
}

// models returns the models that the children were started with.
func (p *play) models() (models []string) {
	for _, s := range p.specs {
		models = append(models, ParseCommand(s.argv).Model())
	}
	return models
}

// An actor is a fake child.
type actor struct {
	play    *play
	spec    childSpec
	ended   chan struct{}
	stopped chan struct{}
	once    sync.Once
	end     childEnd
}

func (a *actor) pid() int              { return os.Getpid() }
func (a *actor) done() <-chan struct{} { return a.ended }
func (a *actor) stop()                 { a.once.Do(func() { close(a.stopped) }) }
func (a *actor) wait() childEnd        { <-a.ended; return a.end }

// print shows words to the detector, one line each.
func (a *actor) print(words ...string) {
	a.spec.observe(detect.Stderr, []byte(strings.Join(words, "\n")+"\n"))
}

// hang waits until it is stopped and then ends like Copilot: with status 0.
func (a *actor) hang() Exit {
	<-a.stopped
	a.print("Exiting…")
	return Exit{}
}

// A reader is a fake detector that understands the words of actors:
//
//	notice  sure  wait=2s  answer  work  work=SESSION  unavailable  overloaded  limit
//
// Only limit, unavailable and overloaded stand by themselves at the end.
type reader struct {
	s     sight
	found detect.Verdict
}

func (r *reader) Feed(_ detect.Stream, p []byte) {
	for word := range strings.FieldsSeq(string(p)) {
		r.word(word)
	}
}

func (r *reader) word(word string) {
	name, value, _ := strings.Cut(word, "=")
	limit := detect.Verdict{Kind: detect.Limit, Scope: detect.ScopeModel, DidWork: r.found.DidWork, SessionID: r.found.SessionID}
	switch name {
	case "notice", "sure":
		r.s.standing, r.s.notice = true, detect.Notice{Verdict: limit, Sure: name == "sure" || r.s.notice.Sure}
	case "wait":
		d, _ := time.ParseDuration(value)
		limit.RetryAfter = d
		r.s.waiting = true
		r.s.wait = detect.Wait{Series: r.s.wait.Series, Count: r.s.wait.Count + 1, RetryAfter: d, Verdict: limit}
	case "answer":
		r.s = sight{wait: detect.Wait{Series: r.s.wait.Series + 1}}
		r.found.Kind = ""
	case "work":
		r.found.DidWork, r.found.SessionID = true, value
	case "limit", "unavailable", "overloaded":
		r.found.Kind = detect.Kind(name)
	}
}

func (r *reader) Standing(time.Time) (detect.Notice, bool) { return r.s.notice, r.s.standing }
func (r *reader) Waiting(time.Time) (detect.Wait, bool)    { return r.s.wait, r.s.waiting }

func (r *reader) Close(detect.Exit, time.Time) detect.Verdict {
	if r.found.Kind == "" {
		r.found.Kind = detect.None
	}
	return r.found
}

// A wheel is a fake circuit: a list of models, each with the time until which it
// is limited. It keeps what was reported.
type wheel struct {
	models  []string
	until   map[string]time.Time
	role    breaker.Role
	err     error // beside every answer
	forgets bool  // a limit is not remembered
	renewed int
	every   time.Duration

	mu      sync.Mutex
	reports []report
}

type report struct {
	model   string
	outcome breaker.Outcome
}

func newWheel(models ...string) *wheel {
	return &wheel{models: models, until: map[string]time.Time{}, every: 30 * time.Second, role: breaker.Preferred}
}

func (w *wheel) Acquire(_ context.Context, tried []string) (breaker.Attempt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	full := &breaker.ExhaustedError{Circuit: w.models[0], Models: w.models}
	role := w.role
	for _, m := range w.models {
		if until := w.until[m]; until.After(time.Now()) {
			if full.Until.IsZero() || until.Before(full.Until) {
				full.Until = until
			}
		} else if !slices.Contains(tried, m) {
			return breaker.Attempt{ID: "a", Circuit: w.models[0], Model: m, Role: role}, w.err
		}
		role = breaker.Fallback
	}
	return breaker.Attempt{}, full
}

func (w *wheel) Renew(context.Context, breaker.Attempt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.renewed++
	return nil
}

func (w *wheel) Report(_ context.Context, a breaker.Attempt, o breaker.Outcome) (breaker.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = append(w.reports, report{a.Model, o})
	if o.Kind == breaker.Limit && !w.forgets {
		w.until[a.Model] = time.Now().Add(10 * time.Minute)
		if !o.Until.IsZero() {
			w.until[a.Model] = o.Until
		}
	}
	return breaker.Change{From: breaker.Closed, To: breaker.Open, Opened: o.Kind == breaker.Limit}, w.err
}

func (w *wheel) RenewEvery() time.Duration { return w.every }

// kinds returns what was reported of each model, such as "a:limit".
func (w *wheel) kinds() (kinds []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.reports {
		kinds = append(kinds, r.model+":"+string(r.outcome.Kind))
	}
	return kinds
}

// Scenes that most tests need.
var (
	answers = func(a *actor) Exit { a.print("answer"); return Exit{} }
	fails   = func(a *actor) Exit { return Exit{Code: 3} }
	limited = func(a *actor) Exit { a.print("limit"); return Exit{Code: 1} }
	hangs   = func(a *actor) Exit { a.print("notice"); return a.hang() }
	sits    = func(a *actor) Exit { a.print("wait=60s"); return a.hang() }
)
