package breaker_test

import (
	"maps"
	"slices"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// A naive model of the breaker: one circuit, the default settings, a chain
// without oddities; DESIGN's table read aloud. It knows nothing of documents.
type naive struct {
	preferred string
	chain     []string
	cooldown  time.Duration

	state        breaker.State
	index        int
	opened       time.Time
	successes    int
	failures     int
	openings     int
	recoveries   int
	floor        time.Time // cooldownUntil
	holder       string
	lease        time.Time
	limitedUntil map[string]time.Time
}

const longestWait, leaseTime = time.Hour, 2 * time.Minute

func (n *naive) generation() int { return n.openings + n.recoveries }

// look puts times right that lie too far in the future.
func (n *naive) look(now time.Time) {
	if n.state == breaker.Open && n.opened.After(now) {
		n.opened = now
	}
	if n.floor.After(now.Add(longestWait)) {
		n.floor = now.Add(longestWait)
	}
	if n.holder != "" && n.lease.After(now.Add(leaseTime)) {
		n.lease = now.Add(leaseTime)
	}
	for m, at := range n.limitedUntil {
		if at.After(now.Add(longestWait)) {
			n.limitedUntil[m] = now.Add(longestWait)
		}
	}
}

func (n *naive) acquire(id string, tried []string, now time.Time) (model string, role breaker.Role) {
	n.look(now)
	if !slices.Contains(tried, n.preferred) {
		if n.state == breaker.Closed {
			return n.preferred, breaker.Preferred
		}
		over := !now.Before(n.opened.Add(n.cooldown)) && !now.Before(n.floor)
		if n.state == breaker.Open && over {
			n.state, n.successes, n.holder = breaker.HalfOpen, 0, ""
		}
		if n.state == breaker.HalfOpen && (n.holder == "" || !now.Before(n.lease)) {
			n.holder, n.lease = id, now.Add(leaseTime)
			return n.preferred, breaker.Probe
		}
	}
	at := 0
	for at < n.index && at < len(n.chain)-1 {
		at++
	}
	for _, m := range append(slices.Clone(n.chain[at:]), n.chain[:at]...) {
		if !slices.Contains(tried, m) && !n.limitedUntil[m].After(now) {
			return m, breaker.Fallback
		}
	}
	return "", ""
}

func (n *naive) report(a breaker.Attempt, o breaker.Outcome, now time.Time) {
	n.look(now)
	held := n.holder == a.ID
	if held {
		n.holder = ""
	}
	if o.Kind == breaker.Limit && o.Until.After(now) {
		until := o.Until
		if until.After(now.Add(longestWait)) {
			until = now.Add(longestWait)
		}
		maps.DeleteFunc(n.limitedUntil, func(_ string, at time.Time) bool { return !at.After(now) })
		if until.After(n.limitedUntil[a.Model]) {
			n.limitedUntil[a.Model] = until
		}
		if a.Model == n.preferred && until.After(n.floor) {
			n.floor = until
		}
	}
	if a.Circuit != n.preferred || int(a.Generation) != n.generation() || a.Role == breaker.Probe && !held {
		return
	}
	switch {
	case o.Kind == breaker.Success && n.state == breaker.Closed:
		n.failures = 0
	case o.Kind == breaker.Success && a.Role == breaker.Probe:
		n.failures = 0
		if n.successes++; n.successes == 2 {
			n.state, n.index, n.successes, n.opened = breaker.Closed, 0, 0, time.Time{}
			n.recoveries++
			delete(n.limitedUntil, n.preferred)
		}
	case o.Kind == breaker.Limit && a.Role == breaker.Fallback && n.state != breaker.Closed:
		n.burn(a.Model, now)
	case o.Kind == breaker.Limit && a.Role != breaker.Fallback:
		n.state, n.index, n.successes, n.opened, n.holder = breaker.Open, 0, 0, now, ""
		n.failures++
		n.openings++
	}
}

func (n *naive) burn(model string, now time.Time) {
	last := len(n.chain) - 1
	at := slices.Index(n.chain, model)
	if at < 0 || at < min(n.index, last) {
		return
	}
	n.failures++
	if n.index = min(at+1, last); at < last && n.state == breaker.Open {
		n.opened = now
	}
}
