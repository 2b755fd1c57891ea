// Package sim shows by simulation what a shared circuit is worth to a fleet.
//
// Runners start a coding CLI now and then; for a while the preferred model
// refuses every call. The package counts what that costs with each way to keep
// the circuit. It uses the breaker's own rules with an injected clock, and the
// same seeds give the same figures everywhere.
package sim

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// A Scenario is one fleet and one limit.
type Scenario struct {
	Runners int
	Seed    uint64

	PerRepository int // runners that share a checkout
	PerMachine    int // runners that share a user's home

	Pause time.Duration // between two runs of a runner, on average; Poisson
	Work  time.Duration // length of a run that is not refused, on average; exponential
	Every time.Duration // a run calls its model this often

	LimitAt  time.Duration // when the limit begins
	LimitFor time.Duration // and how long it lasts
	End      time.Duration // of the simulation
}

// Standard returns the scenario of the tables.
func Standard(runners int, seed uint64) Scenario {
	return Scenario{
		Runners: runners, Seed: seed, PerRepository: 10, PerMachine: 50,
		Pause: 10 * time.Minute, Work: 4 * time.Minute, Every: 20 * time.Second,
		LimitAt: 30 * time.Minute, LimitFor: 45 * time.Minute, End: 150 * time.Minute,
	}
}

// A Result is what the limit cost.
type Result struct {
	UnderWay int           // runs that the limit caught in the middle: nothing prevents those
	Started  int           // runs that were started with the limited model
	Informed int           // of these, those started after the first report in the fleet
	Probes   int           // runs that were to find out whether the limit is over
	Lost     time.Duration // from a refused call to the next call of that runner that is answered
	Late     int           // runs that got a fallback although the limit was over
}

// A policy decides which model a run gets.
type policy interface {
	// acquire says whether the run gets the preferred model, and whether only
	// as a test.
	acquire(r *run, now time.Duration) (preferred, probe bool)
	report(r *run, limited bool, now time.Duration)
	// notices is how long a refused client is left alone.
	notices() time.Duration
	// retries reports whether a refused run is run again at once.
	retries() bool
}

// A run is one start of the client, with its repetitions after refusals.
type run struct {
	runner  int
	n       int // counts the runs of all
	refused int // how often it was
	state   any // the policy's
}

type simulation struct {
	Scenario
	policy
	now    time.Duration
	events events
	seq    int
	rng    []*rand.Rand
	since  []time.Duration // since when a runner has no answer; 0 = it has
	runs   int
	first  time.Duration // the first report of the limit; 0 = none yet
	Result
}

// Run plays a scenario under a policy.
func Run(s Scenario, p Policy) Result {
	m := &simulation{Scenario: s, policy: p.make(s), since: make([]time.Duration, s.Runners)}
	for i := range s.Runners {
		m.rng = append(m.rng, rand.New(rand.NewPCG(s.Seed, uint64(i))))
		m.after(m.draw(i, s.Pause), func() { m.start(i) })
	}
	for m.events.Len() > 0 {
		e := heap.Pop(&m.events).(event)
		if e.at >= s.End {
			break
		}
		m.now = e.at
		e.do()
	}
	for _, since := range m.since {
		if since > 0 {
			m.Lost += s.End - since
		}
	}
	return m.Result
}

// draw returns a random time of a runner's own, in whole milliseconds: the last
// bits of a float are not the same on every processor.
func (m *simulation) draw(runner int, mean time.Duration) time.Duration {
	ms := m.rng[runner].ExpFloat64() * float64(mean.Milliseconds())
	return time.Duration(ms) * time.Millisecond
}

func (m *simulation) start(runner int) {
	m.runs++
	m.begin(&run{runner: runner, n: m.runs})
}

// limited reports whether the preferred model refuses calls at a time.
func (m *simulation) limited(at time.Duration) bool {
	return at >= m.LimitAt && at < m.LimitAt+m.LimitFor
}

// begin starts the client with the model that the policy gives.
func (m *simulation) begin(r *run) {
	preferred, probe := m.acquire(r, m.now)
	if probe {
		m.Probes++
	}
	if preferred && m.limited(m.now) {
		m.Started++
		if m.first > 0 && m.now >= m.first {
			m.Informed++
		}
		m.refuse(r, m.now)
		return
	}
	if !preferred && m.now >= m.LimitAt+m.LimitFor {
		m.Late++
	}
	if since := m.since[r.runner]; since > 0 {
		m.Lost += m.now - since
		m.since[r.runner] = 0
	}
	end := m.now + m.draw(r.runner, m.Work)
	caught := m.LimitAt + time.Duration(m.rng[r.runner].Int64N(m.Every.Milliseconds()))*time.Millisecond
	if preferred && m.now < m.LimitAt && caught < end {
		m.at(caught, func() {
			m.UnderWay++
			m.refuse(r, caught)
		})
		return
	}
	m.at(end, func() {
		m.report(r, false, m.now)
		m.rest(r.runner)
	})
}

// refuse is a call that the model refused: the client says so after a while.
func (m *simulation) refuse(r *run, at time.Duration) {
	if m.since[r.runner] == 0 {
		m.since[r.runner] = at
	}
	m.after(m.notices(), func() {
		if m.first == 0 {
			m.first = m.now
		}
		r.refused++
		m.report(r, true, m.now)
		if m.retries() {
			m.begin(r)
		} else {
			m.rest(r.runner)
		}
	})
}

// rest is a runner's pause before its next run.
func (m *simulation) rest(runner int) {
	m.after(m.draw(runner, m.Pause), func() { m.start(runner) })
}

func (m *simulation) after(d time.Duration, do func()) { m.at(m.now+d, do) }

func (m *simulation) at(at time.Duration, do func()) {
	m.seq++
	heap.Push(&m.events, event{at, m.seq, do})
}

// An event is something that happens; two at one time happen in the order in
// which they were planned.
type event struct {
	at  time.Duration
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
