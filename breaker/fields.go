package breaker

import (
	"bytes"
	"encoding/json"
	"time"
)

// A keep says when a key that the file does not have is written.
type keep int

const (
	always  keep = iota // the template's own keys
	changed             // a setting: once it differs from its default
	nonzero             // state: written, and kept in the file, only while it says something
)

// A field is one key of a JSON object that holds a T.
type field[T any] struct {
	key  string
	keep keep
	json func(T) []byte
	zero func(T) bool // the value goes without saying
	// read takes the value over and returns "", or what is wrong with it.
	read func(T, json.RawMessage) string
}

func fieldOf[T, V any](key string, k keep, at func(T) *V, parse func(json.RawMessage) (V, string),
	format func(V) []byte, zero func(V) bool) field[T] {
	return field[T]{key: key, keep: k,
		json: func(t T) []byte { return format(*at(t)) },
		zero: func(t T) bool { return zero(*at(t)) },
		read: func(t T, raw json.RawMessage) string {
			v, problem := parse(raw)
			if problem == "" {
				*at(t) = v
			}
			return problem
		}}
}

func intField[T any](key string, k keep, otherwise int, at func(T) *int) field[T] {
	return fieldOf(key, k, at, parseCount, marshal[int], func(n int) bool { return n == otherwise })
}

func numberField[T any](key string, k keep, otherwise float64, at func(T) *float64) field[T] {
	return fieldOf(key, k, at, parseNumber, marshal[float64], func(n float64) bool { return n == otherwise })
}

func textField[T any](key string, k keep, at func(T) *string) field[T] {
	return fieldOf(key, k, at, parseText, marshal[string], func(s string) bool { return s == "" })
}

func listField[T any](key string, k keep, at func(T) *[]string) field[T] {
	return fieldOf(key, k, at, parseList, formatList, func(l []string) bool { return len(l) == 0 })
}

func timeField[T any](key string, k keep, at func(T) *time.Time) field[T] {
	return fieldOf(key, k, at, parseTime, formatTime, time.Time.IsZero)
}

func stateField[T any](at func(T) *State) field[T] {
	return fieldOf("state", always, at, parseState, marshal[State], func(s State) bool { return s == Closed })
}

// openedField reads a time that is none as long ago: the circuit would stay open
// for ever otherwise.
var openedField = func() field[*CircuitState] {
	f := timeField("openedAt", always, func(c *CircuitState) *time.Time { return &c.OpenedAt })
	f.read = func(c *CircuitState, raw json.RawMessage) string {
		at, problem := parseTime(raw)
		if problem != "" {
			at, problem = time.Unix(0, 0).UTC(), "is not a time: the cooldown counts as over"
		}
		c.OpenedAt = at
		return problem
	}
	return f
}()

// lift makes fields of an A into those of a B that holds one.
func lift[A, B any](part func(B) A, fields ...field[A]) []field[B] {
	lifted := make([]field[B], len(fields))
	for i, f := range fields {
		lifted[i] = field[B]{key: f.key, keep: f.keep,
			json: func(b B) []byte { return f.json(part(b)) },
			zero: func(b B) bool { return f.zero(part(b)) },
			read: func(b B, raw json.RawMessage) string { return f.read(part(b), raw) }}
	}
	return lifted
}

var (
	metricsFields = []field[*Metrics]{
		intField("totalFallbacks", always, 0, func(m *Metrics) *int { return &m.TotalFallbacks }),
		intField("totalRecoveries", always, 0, func(m *Metrics) *int { return &m.TotalRecoveries }),
		timeField("lastFallbackAt", always, func(m *Metrics) *time.Time { return &m.LastFallbackAt }),
		timeField("lastRecoveryAt", always, func(m *Metrics) *time.Time { return &m.LastRecoveryAt }),
	}
	stateFields = []field[*CircuitState]{stateField(func(c *CircuitState) *State { return &c.State })}
	indexFields = []field[*CircuitState]{
		intField("currentFallbackIndex", always, 0, func(c *CircuitState) *int { return &c.CurrentFallbackIndex })}
	countFields = []field[*CircuitState]{
		openedField,
		intField("halfOpenSuccesses", always, 0, func(c *CircuitState) *int { return &c.HalfOpenSuccesses }),
		intField("consecutiveFailures", always, 0, func(c *CircuitState) *int { return &c.ConsecutiveFailures }),
	}
	ownFields = []field[*CircuitState]{
		timeField("cooldownUntil", nonzero, func(c *CircuitState) *time.Time { return &c.CooldownUntil }),
		timeField("trippedUntil", nonzero, func(c *CircuitState) *time.Time { return &c.TrippedUntil }),
		intField("failedProbes", nonzero, 0, func(c *CircuitState) *int { return &c.FailedProbes }),
		intField("resets", nonzero, 0, func(c *CircuitState) *int { return &c.Resets }),
		textField("probeHolder", nonzero, func(c *CircuitState) *string { return &c.ProbeHolder }),
		timeField("probeExpiresAt", nonzero, func(c *CircuitState) *time.Time { return &c.ProbeExpiresAt }),
	}
	modelFields = []field[*Document]{
		fieldOf("preferredModel", always, func(d *Document) *string { return &d.PreferredModel },
			parseModel, marshal[string], func(string) bool { return false }),
		listField("fallbackChain", always, func(d *Document) *[]string { return &d.FallbackChain }),
	}
	cooldownFields = []field[*Document]{numberField("cooldownMinutes", always, DefaultCooldownMinutes,
		func(d *Document) *float64 { return &d.CooldownMinutes })}
	settingFields = []field[*Document]{
		intField("successesToClose", changed, DefaultSuccessesToClose,
			func(d *Document) *int { return &d.SuccessesToClose }),
		numberField("maxCooldownMinutes", changed, DefaultMaxCooldownMinutes,
			func(d *Document) *float64 { return &d.MaxCooldownMinutes }),
		numberField("cooldownBackoff", changed, DefaultCooldownBackoff,
			func(d *Document) *float64 { return &d.CooldownBackoff }),
		numberField("probeLeaseSeconds", changed, DefaultProbeLeaseSeconds,
			func(d *Document) *float64 { return &d.ProbeLeaseSeconds }),
		listField("match", changed, func(d *Document) *[]string { return &d.Match }),
		listField("ignore", changed, func(d *Document) *[]string { return &d.Ignore }),
	}
	// The fields whose value is an object of its own are read by Decode and
	// written by Encode.
	metricsField  = field[*Document]{key: "metrics", keep: always}
	limitedField  = field[*Document]{key: "limitedUntil", keep: nonzero}
	circuitsField = field[*Document]{key: "circuits", keep: nonzero}
)

// documentFields are the keys of the whole file: the template's in its order,
// then ours.
var documentFields = func() []field[*Document] {
	in := func(d *Document) *CircuitState { return &d.CircuitState }
	return join(lift(in, stateFields...), modelFields, lift(in, indexFields...), cooldownFields,
		lift(in, countFields...), []field[*Document]{metricsField}, settingFields,
		lift(in, ownFields...), []field[*Document]{limitedField, circuitsField})
}()

// circuitFields are the keys of a circuit of another preferred model. It is
// flat, since the template's functions save three levels and no more.
var circuitFields = join(stateFields, indexFields, countFields,
	lift(func(c *CircuitState) *Metrics { return &c.Metrics }, metricsFields...), ownFields)

func join[T any](lists ...[]field[T]) []field[T] {
	var all []field[T]
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// marshal encodes a value that cannot fail to be encoded.
func marshal[V any](v V) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // NaN and Inf, which no parser lets in
	}
	return bytes.TrimSpace(b.Bytes())
}

func formatList(l []string) []byte {
	if l == nil {
		l = []string{}
	}
	return marshal(l)
}

func formatTime(t time.Time) []byte {
	if t.IsZero() {
		return []byte("null")
	}
	return marshal(t.UTC().Format("2006-01-02T15:04:05.9999999Z07:00"))
}
