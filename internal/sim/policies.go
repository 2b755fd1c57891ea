package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// A Policy is one way to keep the circuit.
type Policy struct {
	Name string
	make func(Scenario) policy
}

// Measured with the real client on its provider path: it retries in silence for
// 55 s before it fails, and ralph-run lets it do so for its patience and needs
// about a second to end it.
const (
	clientGivesUp = 55 * time.Second
	patience      = 6 * time.Second
)

// Policies returns the ways that the tables compare.
func Policies() []Policy {
	return []Policy{
		{"no breaker", func(Scenario) policy { return nobody{} }},
		{"template, per repository", func(s Scenario) policy {
			return &templates{of: func(runner int) int { return runner / s.PerRepository }, states: map[int]*template{}}
		}},
		{"ralph-run, per repository", func(s Scenario) policy {
			return newCircuits(s, func(runner int) int { return runner / s.PerRepository }, false)
		}},
		{"ralph-run --shared, per user", func(s Scenario) policy {
			return newCircuits(s, func(runner int) int { return runner / s.PerMachine }, false)
		}},
		{"ralph-run, Redis", func(s Scenario) policy {
			return newCircuits(s, func(int) int { return 0 }, false)
		}},
		{"ralph-run, Redis, reset stated", func(s Scenario) policy {
			return newCircuits(s, func(int) int { return 0 }, true)
		}},
	}
}

// nobody is the client alone.
type nobody struct{}

func (nobody) acquire(*run, time.Duration) (preferred, probe bool) { return true, false }
func (nobody) report(*run, bool, time.Duration)                    {}
func (nobody) notices() time.Duration                              { return clientGivesUp }
func (nobody) retries() bool                                       { return false }

// templates is a loop around the client with the template's functions.
type templates struct {
	of     func(runner int) int
	states map[int]*template
}

func (p *templates) state(r *run) *template {
	g := p.of(r.runner)
	if p.states[g] == nil {
		p.states[g] = &template{state: "closed"}
	}
	return p.states[g]
}

func (p *templates) acquire(r *run, now time.Duration) (preferred, probe bool) {
	t := p.state(r)
	preferred = t.getCurrentModel(now)
	return preferred, preferred && t.state == "half-open"
}

func (p *templates) report(r *run, limited bool, now time.Duration) {
	if limited {
		p.state(r).updateOnRateLimit(now)
	} else {
		p.state(r).updateOnSuccess()
	}
}

func (p *templates) notices() time.Duration { return clientGivesUp }
func (p *templates) retries() bool          { return true }

// circuits is ralph-run: one document for each group of runners.
type circuits struct {
	Scenario
	of     func(runner int) int
	stated bool // the provider says when the limit ends
	docs   map[int]*breaker.Document
	probes map[int]breaker.Attempt // the one under way in each group
	jitter *rand.Rand
}

func newCircuits(s Scenario, of func(int) int, stated bool) *circuits {
	return &circuits{
		Scenario: s, of: of, stated: stated, docs: map[int]*breaker.Document{}, probes: map[int]breaker.Attempt{},
		jitter: rand.New(rand.NewPCG(s.Seed, 1<<40)),
	}
}

// clock is the store's time at a moment of the simulation.
func clock(now time.Duration) time.Time { return time.Unix(1_800_000_000, 0).Add(now) }

// A given is what a run was given.
type given struct {
	breaker.Attempt
	opts  breaker.Options
	tried []string
}

func (p *circuits) acquire(r *run, now time.Duration) (preferred, probe bool) {
	g := p.of(r.runner)
	d := p.docs[g]
	if d == nil {
		d = breaker.Default()
		p.docs[g] = d
	}
	got, ok := r.state.(*given)
	if !ok {
		got = &given{opts: breaker.Options{Holder: fmt.Sprint("run", r.n), Jitter: p.jitter.Float64()}}
		r.state = got
	}
	// A probe that is under way has renewed its lease.
	if at, ok := p.probes[g]; ok {
		d.Renew(breaker.Options{}, at, clock(now))
	}
	a, err := d.Acquire(got.opts, fmt.Sprintf("run%d/%d", r.n, r.refused), got.tried, clock(now))
	if err != nil {
		panic("sim: the fallbacks are never limited: " + err.Error())
	}
	got.Attempt, got.tried = a, append(got.tried, a.Model)
	if a.Role == breaker.Probe {
		p.probes[g] = a
	}
	return a.Role != breaker.Fallback, a.Role == breaker.Probe
}

func (p *circuits) report(r *run, limited bool, now time.Duration) {
	g, got := p.of(r.runner), r.state.(*given)
	out := breaker.Outcome{Kind: breaker.Success}
	if limited {
		out = breaker.Outcome{Kind: breaker.Limit}
		if p.stated {
			out.Until = clock(p.LimitAt + p.LimitFor)
		}
	}
	if p.probes[g].ID == got.ID {
		delete(p.probes, g)
	}
	p.docs[g].Report(got.opts, got.Attempt, out, clock(now))
}

func (p *circuits) notices() time.Duration { return patience }
func (p *circuits) retries() bool          { return true }
