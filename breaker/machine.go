package breaker

import (
	"slices"
	"strings"
	"time"
)

// A turn is one look at one circuit of a document, at one moment.
type turn struct {
	*CircuitState
	d         *Document
	o         Options
	preferred string
	chain     []string // as the index counts it
	now       time.Time
}

// turn returns the circuit that the options choose, with the clock put right.
func (d *Document) turn(o Options, now time.Time) *turn {
	t := &turn{CircuitState: &d.CircuitState, d: d, o: o, now: now.UTC().Truncate(tick),
		preferred: d.PreferredModel, chain: d.FallbackChain}
	if o.Fallback != nil {
		t.chain = o.Fallback
	}
	if o.Prefer != "" && o.Prefer != d.PreferredModel {
		t.preferred = o.Prefer
		t.CircuitState = d.named(o.Prefer)
		t.chain = slices.DeleteFunc(slices.Clone(t.chain), func(m string) bool { return m == o.Prefer })
	}
	t.settle()
	return t
}

// named returns the circuit of a model that is not the document's preferred one.
// One that nothing has happened to yet is not written.
func (d *Document) named(model string) *CircuitState {
	c := d.Circuits[model]
	if c == nil {
		c = &CircuitState{State: Closed}
		if d.Circuits == nil {
			d.Circuits = map[string]*CircuitState{}
		}
		d.Circuits[model] = c
	}
	return c
}

// settle cuts every time that lies too far ahead, as after the clock was put
// back: nothing is waited for longer than if it had happened now.
func (t *turn) settle() {
	cut := func(at *time.Time, most time.Duration) {
		if at.After(t.now.Add(most)) {
			*at = t.now.Add(most)
		}
	}
	if t.State == Open {
		cut(&t.OpenedAt, 0)
	}
	cut(&t.CooldownUntil, t.max())
	if t.ProbeHolder != "" {
		cut(&t.ProbeExpiresAt, t.d.ProbeLease())
	}
	for m, until := range t.d.LimitedUntil {
		if cut(&until, t.max()); until != t.d.LimitedUntil[m] {
			t.d.LimitedUntil[m] = until
		}
	}
}

// max bounds every wait of this turn.
func (t *turn) max() time.Duration { return max(t.d.MaxCooldown(), t.o.Cooldown) }

// cooldown returns how long the circuit stays open, failed probes included.
func (t *turn) cooldown() time.Duration {
	base := t.d.Cooldown()
	if t.o.Cooldown > 0 {
		base = t.o.Cooldown
	}
	for range t.FailedProbes {
		if t.d.backoff() == 1 || base <= 0 || base >= t.max() {
			break
		}
		base = span(float64(base)*t.d.backoff(), 1, t.max(), t.max())
	}
	return base
}

// due returns when the next probe is allowed, or zero if none ever is: a circuit
// that is open without a time stays open until a limit gives it one, as in the
// template.
func (t *turn) due() time.Time {
	if t.State != Open || t.OpenedAt.IsZero() {
		return time.Time{}
	}
	if t.tripped() {
		return latest(t.CooldownUntil, t.TrippedUntil)
	}
	return latest(t.OpenedAt.Add(t.cooldown()), t.CooldownUntil)
}

// tripped reports whether the circuit was opened by hand until a time. One that
// lies before the opening belongs to an earlier one, which another writer closed.
func (t *turn) tripped() bool { return t.TrippedUntil.After(t.OpenedAt) }

// NextProbe returns when the circuit that the options choose is tried again, or
// zero if it is not open or nobody can tell.
func (d *Document) NextProbe(o Options, now time.Time) time.Time { return d.Clone().turn(o, now).due() }

// jitter returns how much later than the others this process probes.
func (t *turn) jitter() time.Duration {
	wait := t.cooldown()
	if t.tripped() {
		wait = min(wait, t.TrippedUntil.Sub(t.OpenedAt))
	}
	return time.Duration(min(max(t.o.Jitter, 0), 1) * float64(wait) / 10)
}

// Acquire gives the run named id its model. tried lists the models that this
// invocation has run already. The error is an [*ExhaustedError].
func (d *Document) Acquire(o Options, id string, tried []string, now time.Time) (Attempt, error) {
	t := d.turn(o, now)
	a := Attempt{ID: id, Circuit: t.preferred, Generation: t.Generation(), At: t.now}
	if !slices.Contains(tried, t.preferred) && t.offerPreferred(&a) {
		return a, nil
	}
	return t.offerFallback(a, tried)
}

// offerPreferred gives the preferred model, if it is this run's turn for it.
func (t *turn) offerPreferred(a *Attempt) bool {
	switch t.State {
	case Open:
		if due := t.due(); due.IsZero() || t.now.Before(due.Add(t.jitter())) {
			return false
		}
		t.State, t.HalfOpenSuccesses = HalfOpen, 0
		t.ProbeHolder = ""
	case HalfOpen:
		if t.ProbeHolder != "" && t.now.Before(t.ProbeExpiresAt) {
			return false
		}
	default:
		a.Model, a.Role, a.Why = t.preferred, Preferred, "the circuit is closed"
		return true
	}
	t.ProbeHolder, t.ProbeExpiresAt = a.ID, t.now.Add(t.d.ProbeLease())
	a.Model, a.Role, a.Why = t.preferred, Probe, "the cooldown is over, this run tests the preferred model"
	return true
}

// offerFallback gives the first model of the chain from the index on that was
// not tried and is not known to be limited. When none is left it goes back to
// those before the index: their limit may have been a short one.
func (t *turn) offerFallback(a Attempt, tried []string) (Attempt, error) {
	a.Role, a.Why = Fallback, t.whyFallback(tried)
	chain := t.fallbacks()
	i := t.index()
	for _, half := range [][]int{chain.from(i), chain.before(i)} {
		for _, i := range half {
			a.Model = t.chain[i]
			if !slices.Contains(tried, a.Model) && !t.limited(a.Model) {
				return a, nil
			}
		}
	}
	if a.Model = t.lastResort(chain, tried); a.Model != "" {
		return a, nil
	}
	return Attempt{}, t.exhausted(chain)
}

// lastResort returns the model to run when none is left, or "". Without a chain
// there is only the preferred model, limited or not, unless until a stated time.
func (t *turn) lastResort(chain positions, tried []string) string {
	switch {
	case len(tried) > 0:
		return ""
	case len(chain) == 0 && (t.o.TryExhausted || !t.limited(t.preferred)):
		return t.preferred
	case len(chain) > 0 && t.o.TryExhausted:
		return t.chain[chain[len(chain)-1]]
	}
	return ""
}

func (t *turn) exhausted(chain positions) error {
	e := &ExhaustedError{Circuit: t.preferred, Models: []string{t.preferred}}
	var back []time.Time
	switch t.State {
	case Open:
		back = append(back, t.due().Add(t.jitter()))
	case HalfOpen:
		back = append(back, t.ProbeExpiresAt)
	default:
		back = append(back, t.d.LimitedUntil[t.preferred])
	}
	for _, i := range chain {
		e.Models = append(e.Models, t.chain[i])
		back = append(back, t.d.LimitedUntil[t.chain[i]])
	}
	for _, at := range back {
		if at.After(t.now) && (e.Until.IsZero() || at.Before(e.Until)) {
			e.Until = at
		}
	}
	return e
}

func (t *turn) whyFallback(tried []string) string {
	var why string
	switch due := t.due(); {
	case slices.Contains(tried, t.preferred):
		return "after " + strings.Join(tried, ", ")
	case t.State == HalfOpen:
		why = "another run tests the preferred model"
	case due.IsZero():
		why = "the circuit is open"
	default:
		why = "cooldown until " + clock(due, t.now)
	}
	if len(tried) > 0 {
		why += ", after " + strings.Join(tried, ", ")
	}
	return why
}

// clock words a moment as a person reads it from now: with the date, if that is
// not today's.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Year() == now.Year() && at.YearDay() == now.YearDay() {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// limited reports a model that is known to be limited until a stated time.
func (t *turn) limited(model string) bool { return t.d.LimitedUntil[model].After(t.now) }

// positions are indexes into a chain, ascending.
type positions []int

// fallbacks returns the positions of the chain that can be given: not the
// preferred model, and each model once.
func (t *turn) fallbacks() positions {
	var p positions
	for i, m := range t.chain {
		if m != "" && m != t.preferred && slices.Index(t.chain, m) == i {
			p = append(p, i)
		}
	}
	return p
}

func (p positions) from(i int) positions {
	n, _ := slices.BinarySearch(p, i)
	return p[n:]
}

func (p positions) before(i int) positions {
	n, _ := slices.BinarySearch(p, i)
	return p[:n]
}

// index returns currentFallbackIndex, cut to the chain.
func (t *turn) index() int { return max(0, min(t.CurrentFallbackIndex, len(t.chain)-1)) }

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
