package breaker

import (
	"slices"
)

// This file reads the state files of others: older ralph-watch scripts, which
// we take over, and squad watch, which we leave alone.

// decodeForeign looks for the keys of other writers.
func (d *Document) decodeForeign() {
	o := d.raw.root
	older := o.has("currentModel") || o.has("lastRateLimitHit") || o.has("requiredSuccessesToClose")
	d.squadWatch = o.has("status") || o.has("lastRateLimitRemaining") || o.has("consecutiveSuccesses") && !older
	if older && !d.squadWatch {
		d.takeOver(o)
	}
}

// takeOver reads an older ralph-watch script's file. Its keys stay, since that
// script may still run; where the template's own key is there as well, that one
// counts, except that the later of the two times of the last limit does.
func (d *Document) takeOver(o object) {
	if hit, problem := parseTime(o.get("lastRateLimitHit")); problem == "" && hit.After(d.OpenedAt) {
		if d.State == Open {
			d.OpenedAt = hit
		}
		if !o.has("metrics") {
			d.Metrics.LastFallbackAt = hit
		}
	}
	if m, problem := parseText(o.get("currentModel")); problem == "" && !o.has("currentFallbackIndex") {
		d.CurrentFallbackIndex = max(0, slices.Index(d.FallbackChain, m))
	}
	count := func(from, to string, n *int) {
		if v, problem := parseCount(o.get(from)); problem == "" && !o.has(to) {
			*n = v
		}
	}
	count("requiredSuccessesToClose", "successesToClose", &d.SuccessesToClose)
	if d.State == HalfOpen {
		count("consecutiveSuccesses", "halfOpenSuccesses", &d.HalfOpenSuccesses)
	}
	count("totalFallbacks", "metrics", &d.Metrics.TotalFallbacks)
	count("totalRecoveries", "metrics", &d.Metrics.TotalRecoveries)
}

// besideSquadWatch returns the state to begin with beside a file of squad watch:
// ours as it was last known, or the default, with the models the file names.
func besideSquadWatch(theirs, ours *Document) *Document {
	d := Default()
	if ours != nil && !ours.squadWatch && !ours.fresh {
		d, d.chosen = ours.Clone(), true
	}
	if o := theirs.raw.root; o.get("preferredModel") != nil {
		d.PreferredModel, d.chosen = theirs.PreferredModel, true
	}
	if theirs.raw.root.has("fallbackChain") {
		d.FallbackChain = slices.Clone(theirs.FallbackChain)
	}
	d.fresh = true
	return d
}
