package breaker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// A CorruptError reports a state that is no JSON object in any encoding.
type CorruptError struct{ Err error }

func (e *CorruptError) Error() string { return "decode state: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Decode reads a state in every way that the template's functions, squad watch,
// older ralph-watch scripts and people write it. Nothing at all is the default
// state. The error is a [*CorruptError].
func Decode(data []byte) (*Document, error) {
	d := Default()
	data = bytes.TrimSpace(toUTF8(data))
	if len(data) == 0 {
		return d, nil
	}
	root, err := parseObject(data)
	if err != nil {
		return nil, &CorruptError{err}
	}
	d.fresh = false
	d.raw = rawDocument{root: root}
	decodeFields(root, documentFields, d, d.warn)
	if root.has("fallbackChain") && root.get("fallbackChain") == nil {
		d.FallbackChain = nil // PowerShell saves an empty array as null
	}
	d.decodeMetrics()
	d.decodeLimited()
	d.decodeCircuits()
	d.decodeForeign()
	d.checkRanges()
	return d, nil
}

func (d *Document) warn(key, value, problem string) {
	const most = 60
	if len(value) > most {
		cut := most
		for !utf8.RuneStart(value[cut]) {
			cut--
		}
		value = value[:cut] + "…"
	}
	d.Warnings = append(d.Warnings, Warning{Key: key, Value: value, Problem: problem})
}

// part reads the object under a key of the root, if there is one.
func (d *Document) part(key string) object {
	i := d.raw.root.find(key)
	if i < 0 || string(d.raw.root[i].raw) == "null" {
		return nil
	}
	o, err := parseObject(d.raw.root[i].raw)
	if err != nil {
		d.warn(key, string(d.raw.root[i].raw), "is not an object: it is ignored")
	}
	return o
}

func (d *Document) decodeMetrics() {
	d.raw.metrics = d.part("metrics")
	decodeFields(d.raw.metrics, metricsFields, &d.Metrics, func(key, value, problem string) {
		d.warn("metrics."+key, value, problem)
	})
}

func (d *Document) decodeLimited() {
	for _, m := range d.part("limitedUntil") {
		at, problem := parseTime(m.raw)
		if string(m.raw) == "null" || problem != "" || at.IsZero() {
			if string(m.raw) != "null" {
				d.warn("limitedUntil."+m.key, string(m.raw), "is not a time: it is ignored")
			}
			continue
		}
		if d.LimitedUntil == nil {
			d.LimitedUntil = map[string]time.Time{}
		}
		d.LimitedUntil[m.key] = at
	}
}

func (d *Document) decodeCircuits() {
	d.raw.circuits = d.part("circuits")
	d.raw.circuit = map[string]object{}
	for _, m := range d.raw.circuits {
		o, err := parseObject(m.raw)
		if err != nil {
			d.warn("circuits."+m.key, string(m.raw), "is not an object: it is ignored")
			continue
		}
		d.raw.circuit[m.key] = o
		decodeFields(o, circuitFields, d.named(m.key), func(key, value, problem string) {
			d.warn("circuits."+m.key+"."+key, value, problem)
		})
	}
}

// checkRanges warns of settings that are readable but out of range.
func (d *Document) checkRanges() {
	outside := func(key string, n float64, wrong bool, problem string) {
		if wrong {
			d.warn(key, fmt.Sprint(n), problem)
		}
	}
	most := d.MaxCooldown().Minutes()
	outside("cooldownMinutes", d.CooldownMinutes, d.CooldownMinutes < 0, "is negative: 0 is used")
	outside("cooldownMinutes", d.CooldownMinutes, d.CooldownMinutes > most,
		fmt.Sprintf("is more than maxCooldownMinutes: %v is used", most))
	outside("maxCooldownMinutes", d.MaxCooldownMinutes, d.MaxCooldownMinutes <= 0,
		fmt.Sprintf("is not above 0: %v is used", DefaultMaxCooldownMinutes))
	outside("maxCooldownMinutes", d.MaxCooldownMinutes, d.MaxCooldownMinutes > longest.Minutes(),
		fmt.Sprintf("is too much: %v is used", longest.Minutes()))
	outside("successesToClose", float64(d.SuccessesToClose), d.SuccessesToClose < 1,
		fmt.Sprintf("is below 1: %v is used", DefaultSuccessesToClose))
	outside("cooldownBackoff", d.CooldownBackoff, d.CooldownBackoff < 1,
		fmt.Sprintf("is below 1: %v is used", DefaultCooldownBackoff))
	outside("cooldownBackoff", d.CooldownBackoff, d.CooldownBackoff > 1000, "is too much: 1000 is used")
	outside("probeLeaseSeconds", d.ProbeLeaseSeconds, d.ProbeLeaseSeconds < 1,
		fmt.Sprintf("is below 1: %v is used", DefaultProbeLeaseSeconds))
	outside("probeLeaseSeconds", d.ProbeLeaseSeconds, d.ProbeLeaseSeconds > 3600, "is too much: 3600 is used")
	major := len(d.Warnings)
	outside("currentFallbackIndex", float64(d.CurrentFallbackIndex),
		d.CurrentFallbackIndex > max(0, len(d.FallbackChain)-1), "is outside the chain: its last model is used")
	d.checkChain()
	for i := range d.Warnings[major:] {
		d.Warnings[major+i].Minor = true
	}
}

func (d *Document) checkChain() {
	for i, m := range d.FallbackChain {
		switch {
		case m == "":
			d.warn("fallbackChain", `""`, "is not the name of a model: it is skipped")
		case m == d.PreferredModel:
			d.warn("fallbackChain", m, "is the preferred model: it is skipped")
		case slices.Index(d.FallbackChain, m) < i:
			d.warn("fallbackChain", m, "is in the chain twice: the second is skipped")
		}
	}
}

// Encode returns the state as JSON text: what it was read from with the present
// values put in.
func (d *Document) Encode() []byte {
	fields := slices.Clone(documentFields)
	for i := range fields {
		switch f := &fields[i]; f.key {
		case "metrics":
			f.json = func(d *Document) []byte {
				return encodeFields(d.raw.metrics, metricsFields, &d.Metrics).json()
			}
			f.zero = func(*Document) bool { return false }
		case "limitedUntil":
			f.json = func(d *Document) []byte { return d.encodeLimited().json() }
			f.zero = func(d *Document) bool { return len(d.LimitedUntil) == 0 }
		case "circuits":
			f.json = func(d *Document) []byte { return d.encodeCircuits().json() }
			f.zero = func(d *Document) bool { return len(d.encodeCircuits()) == 0 }
		}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, encodeFields(d.raw.root, fields, d).json(), "", "  "); err != nil {
		panic("breaker: encode: " + err.Error()) // every raw value was parsed before
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func (d *Document) encodeLimited() object {
	var o object
	for _, m := range slices.Sorted(maps.Keys(d.LimitedUntil)) {
		o = append(o, member{key: m, raw: formatTime(d.LimitedUntil[m])})
	}
	return o
}

func (d *Document) encodeCircuits() object {
	var o object
	for _, m := range d.raw.circuits {
		if c := d.Circuits[m.key]; c != nil {
			m.raw = encodeFields(d.raw.circuit[m.key], circuitFields, c).json()
		}
		o = append(o, m)
	}
	for _, m := range slices.Sorted(maps.Keys(d.Circuits)) {
		if c := d.Circuits[m]; !d.raw.circuits.has(m) && *c != (CircuitState{State: Closed}) {
			o = append(o, member{key: m, raw: encodeFields(nil, circuitFields, c).json()})
		}
	}
	return o
}

// Apply is what every [Store] does between reading and writing: it decodes data,
// calls change, and returns what to write, or nil if nothing changed.
func Apply(data []byte, now time.Time, change func(d *Document, now time.Time) error) ([]byte, error) {
	d, err := Decode(data)
	if err != nil {
		return nil, err
	}
	before := d.Clone()
	if err := change(d, now); err != nil || d.Equal(before) {
		return nil, err
	}
	return d.Encode(), nil
}
