package breaker

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"time"
)

// The values of a state that nobody has written yet, and of settings that are
// missing or unusable.
const (
	DefaultPreferredModel     = "claude-sonnet-4.6"
	DefaultCooldownMinutes    = 10
	DefaultSuccessesToClose   = 2
	DefaultMaxCooldownMinutes = 60
	DefaultCooldownBackoff    = 1
	DefaultProbeLeaseSeconds  = 120
)

// DefaultFallbackChain returns the chain of a state that nobody has written yet.
func DefaultFallbackChain() []string {
	return []string{"gpt-5.4-mini", "gpt-5-mini", "gpt-4.1"}
}

// A Document is the whole state: what the state file holds. It is also the
// configuration, since people edit that file by hand.
//
// Settings are kept as they were written, even where they are out of range; the
// rules use them cut to it, and Warnings names each such value. Keys the
// breaker does not know stay in place. A Document must not be used by two
// goroutines at once.
type Document struct {
	CircuitState // of PreferredModel

	PreferredModel  string
	FallbackChain   []string
	CooldownMinutes float64

	SuccessesToClose   int     // probes that must succeed in a row
	MaxCooldownMinutes float64 // bounds every wait, however it came about
	CooldownBackoff    float64 // factor on the cooldown for each failed probe in a row
	ProbeLeaseSeconds  float64
	Match, Ignore      []string // the detector's: more patterns, lines never looked at

	LimitedUntil map[string]time.Time     // models known to be limited, until a stated time
	Circuits     map[string]*CircuitState // of other preferred models

	Warnings []Warning // values that Decode cut or ignored

	fresh      bool // nobody has written this state yet
	chosen     bool // though fresh, its models are known
	squadWatch bool // the file it was read from belongs to squad watch
	raw        rawDocument
}

// A CircuitState is one circuit: what changes while runs go on.
type CircuitState struct {
	State                State
	CurrentFallbackIndex int
	OpenedAt             time.Time // zero while closed
	HalfOpenSuccesses    int
	ConsecutiveFailures  int
	Metrics              Metrics

	CooldownUntil  time.Time // a stated reset of the preferred model; a floor under the cooldown
	TrippedUntil   time.Time // opened by hand until then
	FailedProbes   int       // in a row
	Resets         int       // closings by hand
	ProbeHolder    string    // the attempt that holds the lease; "" = nobody
	ProbeExpiresAt time.Time
}

// Metrics count what happened to one circuit.
type Metrics struct {
	TotalFallbacks  int // openings
	TotalRecoveries int
	LastFallbackAt  time.Time
	LastRecoveryAt  time.Time
}

// A Warning names one value of the state file that was cut or ignored.
type Warning struct {
	Key     string // such as "cooldownMinutes" or "circuits.gpt-5.4.openedAt"
	Value   string // as written, shortened
	Problem string // and what is used instead
	Minor   bool   // what is meant is clear all the same
}

func (w Warning) String() string { return w.Key + ": " + w.Value + " " + w.Problem }

// Default returns the state that nobody has written yet.
func Default() *Document {
	return &Document{
		CircuitState:       CircuitState{State: Closed},
		PreferredModel:     DefaultPreferredModel,
		FallbackChain:      DefaultFallbackChain(),
		CooldownMinutes:    DefaultCooldownMinutes,
		SuccessesToClose:   DefaultSuccessesToClose,
		MaxCooldownMinutes: DefaultMaxCooldownMinutes,
		CooldownBackoff:    DefaultCooldownBackoff,
		ProbeLeaseSeconds:  DefaultProbeLeaseSeconds,
		fresh:              true,
	}
}

// Fresh reports that nobody has written this state yet.
func (d *Document) Fresh() bool { return d.fresh }

// SquadWatch reports that the document was read from a file that squad watch
// writes: its contents are not ours to change.
func (d *Document) SquadWatch() bool { return d.squadWatch }

// UnknownKeys returns the keys of the text that the document was read from which
// are none of ours: another writer's, or a person's mistakes.
func (d *Document) UnknownKeys() []string { return unknown(d.raw.root, documentFields) }

// SettingKeys returns the keys that people write: the configuration.
func SettingKeys() []string {
	var keys []string
	for _, f := range join(modelFields, cooldownFields, settingFields) {
		keys = append(keys, f.key)
	}
	return keys
}

// Clone returns a copy that shares nothing that can change.
func (d *Document) Clone() *Document {
	c := *d
	c.FallbackChain = slices.Clone(d.FallbackChain)
	c.Match, c.Ignore = slices.Clone(d.Match), slices.Clone(d.Ignore)
	c.LimitedUntil = maps.Clone(d.LimitedUntil)
	c.Warnings = slices.Clone(d.Warnings)
	c.Circuits = maps.Clone(d.Circuits)
	for m, s := range c.Circuits {
		s := *s
		c.Circuits[m] = &s
	}
	return &c
}

// Equal reports that two documents say the same and would be written the same.
func (d *Document) Equal(e *Document) bool {
	if d.fresh != e.fresh || d.CircuitState != e.CircuitState || !d.sameSettings(e) ||
		!maps.Equal(d.LimitedUntil, e.LimitedUntil) || !d.sameCircuits(e) || !e.sameCircuits(d) {
		return false
	}
	if len(d.raw.root) == len(e.raw.root) && (len(d.raw.root) == 0 || &d.raw.root[0] == &e.raw.root[0]) {
		return true // read from the same text
	}
	return bytes.Equal(d.Encode(), e.Encode())
}

func (d *Document) sameSettings(e *Document) bool {
	return d.PreferredModel == e.PreferredModel && slices.Equal(d.FallbackChain, e.FallbackChain) &&
		d.CooldownMinutes == e.CooldownMinutes && d.SuccessesToClose == e.SuccessesToClose &&
		d.MaxCooldownMinutes == e.MaxCooldownMinutes && d.CooldownBackoff == e.CooldownBackoff &&
		d.ProbeLeaseSeconds == e.ProbeLeaseSeconds &&
		slices.Equal(d.Match, e.Match) && slices.Equal(d.Ignore, e.Ignore)
}

// sameCircuits reports that e has the circuits of d, but for those that nothing
// has happened to yet.
func (d *Document) sameCircuits(e *Document) bool {
	for m, c := range d.Circuits {
		pristine := CircuitState{State: Closed}
		if other := e.Circuits[m]; other != nil && *other != *c || other == nil && *c != pristine {
			return false
		}
	}
	return true
}

// Generation counts the openings and closings of the circuit, by the counters
// that the template's functions keep too.
func (c *CircuitState) Generation() int64 {
	return int64(c.Metrics.TotalFallbacks) + int64(c.Metrics.TotalRecoveries) + int64(c.Resets)
}

// longest bounds every duration that a number in the file can ask for.
const longest = 10 * 365 * 24 * time.Hour

// span turns a number of units into a duration from 0 to most; what is no
// number is otherwise.
func span(n float64, unit, most, otherwise time.Duration) time.Duration {
	switch {
	case math.IsNaN(n):
		return otherwise
	case n <= 0:
		return 0
	case n >= float64(most)/float64(unit):
		return most
	}
	return time.Duration(n * float64(unit))
}

// MaxCooldown returns the longest wait the document allows.
func (d *Document) MaxCooldown() time.Duration {
	if !(d.MaxCooldownMinutes > 0) {
		return DefaultMaxCooldownMinutes * time.Minute
	}
	return span(d.MaxCooldownMinutes, time.Minute, longest, 0)
}

// Cooldown returns cooldownMinutes, cut to the range 0…maxCooldownMinutes.
func (d *Document) Cooldown() time.Duration {
	return span(d.CooldownMinutes, time.Minute, d.MaxCooldown(), DefaultCooldownMinutes*time.Minute)
}

// ProbeLease returns how long a probe's lease lasts after it was last renewed.
func (d *Document) ProbeLease() time.Duration {
	if !(d.ProbeLeaseSeconds >= 1) {
		return DefaultProbeLeaseSeconds * time.Second
	}
	return span(d.ProbeLeaseSeconds, time.Second, time.Hour, 0)
}

// successesToClose returns how many probes must succeed in a row.
func (d *Document) successesToClose() int {
	if d.SuccessesToClose < 1 {
		return DefaultSuccessesToClose
	}
	return d.SuccessesToClose
}

// backoff returns the factor on the cooldown for each failed probe in a row.
func (d *Document) backoff() float64 {
	if !(d.CooldownBackoff >= 1) {
		return DefaultCooldownBackoff
	}
	return min(d.CooldownBackoff, 1000)
}

// Seed makes a state that nobody has written yet into one that is to be
// written, with the models that this process was started for.
func (d *Document) Seed(o Options) {
	if !d.fresh {
		return
	}
	d.fresh = false
	if d.chosen {
		return
	}
	if o.SeedPreferred != "" {
		d.PreferredModel = o.SeedPreferred
	}
	if o.SeedFallback != nil {
		d.FallbackChain = slices.Clone(o.SeedFallback)
	}
}
