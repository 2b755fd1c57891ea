package breaker

import (
	"slices"
	"strings"
	"time"
)

// Report records how an attempt ended. The report of an older generation, and
// that of a probe whose lease is another's by now, change nothing but the times
// until which models are known to be limited.
func (d *Document) Report(o Options, a Attempt, out Outcome, now time.Time) Change {
	t, known := d.turnOf(o, a, now)
	ch := Change{Model: a.Model, From: t.State}
	mine := t.ProbeHolder == a.ID
	if mine {
		t.release()
	}
	if out.Kind == Limit {
		t.mark(a.Model, out.Until)
	}
	switch {
	case !known, a.Generation != t.Generation(), a.Role == Probe && !mine:
		ch.Stale = true
	case out.Kind == Success:
		t.succeeded(a)
	case out.Kind == Limit:
		t.limitedRun(a)
	}
	ch.To = t.State
	ch.Opened = ch.From != Open && ch.To == Open
	ch.Closed = ch.From != Closed && ch.To == Closed
	ch.Until = t.due()
	return ch
}

// turnOf returns the circuit that gave the attempt. If that is gone, since a
// person edited preferredModel meanwhile, it returns false and the document's
// own.
func (d *Document) turnOf(o Options, a Attempt, now time.Time) (*turn, bool) {
	if a.Circuit == d.PreferredModel {
		o.Prefer = ""
	} else if d.Circuits[a.Circuit] != nil || o.Prefer == a.Circuit {
		o.Prefer = a.Circuit
	} else {
		o.Prefer = ""
		return d.turn(o, now), false
	}
	return d.turn(o, now), true
}

// mark remembers until when a model is limited, where the provider said so. A
// stated time only ever extends what is known, and is cut to the longest
// cooldown: stated times are often wrong, and one probe an hour is cheap.
func (t *turn) mark(model string, until time.Time) {
	if !until.After(t.now) {
		return
	}
	if most := t.now.Add(t.max()); until.After(most) {
		until = most
	}
	until = until.UTC().Truncate(tick)
	if t.d.LimitedUntil == nil {
		t.d.LimitedUntil = map[string]time.Time{}
	}
	for m, at := range t.d.LimitedUntil {
		if !at.After(t.now) {
			delete(t.d.LimitedUntil, m)
		}
	}
	t.d.LimitedUntil[model] = latest(until, t.d.LimitedUntil[model])
	if model == t.preferred {
		t.CooldownUntil = latest(until, t.CooldownUntil)
	}
}

func (t *turn) succeeded(a Attempt) {
	switch {
	case t.State == Closed:
		t.ConsecutiveFailures = 0
	case t.State == HalfOpen && a.Role == Probe:
		t.ConsecutiveFailures = 0
		t.HalfOpenSuccesses++
		if t.HalfOpenSuccesses >= t.d.successesToClose() {
			t.close()
			t.Metrics.TotalRecoveries++
			t.Metrics.LastRecoveryAt = t.now
		}
	}
}

func (t *turn) limitedRun(a Attempt) {
	switch {
	case a.Role == Fallback && t.State != Closed:
		t.burn(a.Model)
	case a.Role != Fallback && t.State != Open:
		if a.Role == Probe {
			t.FailedProbes++
		}
		t.ConsecutiveFailures++
		t.open()
	}
}

// burn moves the index past a fallback that is limited too. The report of a
// process that comes after the index has moved changes nothing. Once the last
// model is limited the cooldown runs on: the chain's exhaustion must not push
// recovery away.
func (t *turn) burn(model string) {
	chain := t.fallbacks()
	rest := chain.from(t.index())
	at := slices.IndexFunc(rest, func(i int) bool { return t.chain[i] == model })
	if at < 0 && (len(chain) > 0 || model != t.preferred) {
		return
	}
	t.ConsecutiveFailures++
	if at < 0 {
		return
	}
	if at == len(rest)-1 {
		t.CurrentFallbackIndex = rest[at]
		return
	}
	t.CurrentFallbackIndex = rest[at+1]
	if t.State == Open {
		t.OpenedAt = t.now
	}
}

func (t *turn) open() {
	t.State, t.OpenedAt = Open, t.now
	t.HalfOpenSuccesses, t.CurrentFallbackIndex = 0, 0
	t.TrippedUntil = time.Time{}
	t.Metrics.TotalFallbacks++
	t.Metrics.LastFallbackAt = t.now
	t.release()
}

func (t *turn) close() {
	t.State, t.OpenedAt = Closed, time.Time{}
	t.HalfOpenSuccesses, t.CurrentFallbackIndex = 0, 0
	t.FailedProbes, t.TrippedUntil = 0, time.Time{}
	delete(t.d.LimitedUntil, t.preferred)
	t.release()
}

func (t *turn) release() { t.ProbeHolder, t.ProbeExpiresAt = "", time.Time{} }

// Renew keeps the lease of the attempt's probe alive.
func (d *Document) Renew(o Options, a Attempt, now time.Time) {
	t, known := d.turnOf(o, a, now)
	if known && a.Role == Probe && t.ProbeHolder == a.ID {
		t.ProbeExpiresAt = t.now.Add(d.ProbeLease())
	}
}

// Record records an outcome that belongs to no attempt, as the template's
// Update functions do: of the given model, or of the one that is current. In
// half-open it counts as the probe's, unless another process is probing. The
// lease is ours if its holder begins with [Options.Holder] and a slash, or with
// [Options.FormerHolder] and one.
func (d *Document) Record(o Options, model string, out Outcome, now time.Time) Change {
	t := d.turn(o, now)
	a := Attempt{ID: o.Holder + "/record", Circuit: t.preferred, Model: model,
		Role: Fallback, Generation: t.Generation(), At: now}
	if a.Model == "" {
		a.Model = t.current()
	}
	switch {
	case a.Model != t.preferred, t.State == Open:
	case t.State == Closed:
		a.Role = Preferred
	case t.ProbeHolder == "", o.holds(t.ProbeHolder), !now.Before(t.ProbeExpiresAt):
		t.ProbeHolder, t.ProbeExpiresAt = a.ID, t.now
		a.Role = Probe
	case out.Kind == Limit:
		a.Role = Preferred
	}
	return d.Report(o, a, out, now)
}

// current returns the model that runs get now, without any transition.
func (t *turn) current() string {
	if t.State != Open {
		return t.preferred
	}
	chain := t.fallbacks()
	if rest := chain.from(t.index()); len(rest) > 0 {
		return t.chain[rest[0]]
	}
	if len(chain) > 0 {
		return t.chain[chain[len(chain)-1]]
	}
	return t.preferred
}

// Trip opens the circuit by hand: for a duration, or if that is zero for the
// usual cooldown.
func (d *Document) Trip(o Options, length time.Duration, now time.Time) Change {
	t := d.turn(o, now)
	ch := Change{From: t.State, To: Open, Opened: t.State != Open}
	if t.State == Open {
		t.OpenedAt = t.now
	} else {
		t.open()
	}
	t.TrippedUntil = time.Time{}
	if length > 0 {
		t.TrippedUntil = t.now.Add(min(length, longest)).Truncate(tick)
	}
	ch.Until = t.due()
	return ch
}

// Reset closes the circuit by hand and forgets every known limit; without
// [Options.Prefer], all circuits.
func (d *Document) Reset(o Options, now time.Time) Change {
	if o.Prefer == "" {
		for m := range d.Circuits {
			d.reset(Options{Prefer: m}, now)
		}
	}
	return d.reset(o, now)
}

func (d *Document) reset(o Options, now time.Time) Change {
	t := d.turn(o, now)
	ch := Change{From: t.State, To: Closed, Closed: t.State != Closed}
	t.close()
	t.ConsecutiveFailures, t.CooldownUntil = 0, time.Time{}
	clear(d.LimitedUntil)
	t.Resets++
	return ch
}

// holds reports whether a lease's holder is this process.
func (o Options) holds(holder string) bool {
	return strings.HasPrefix(holder, o.Holder+"/") ||
		o.FormerHolder != "" && strings.HasPrefix(holder, o.FormerHolder+"/")
}
