package breaker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ralph-run/ralph-run/breaker"
)

// A schema is as much of JSON Schema as ours uses.
type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 any                `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties *schema            `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	MinLength            int                `json:"minLength"`
	Minimum              *float64           `json:"minimum"`
	ExclusiveMinimum     *float64           `json:"exclusiveMinimum"`
	Maximum              *float64           `json:"maximum"`
	Format               string             `json:"format"`
	Default              any                `json:"default"`
	Defs                 map[string]*schema `json:"$defs"`
	Schema               string             `json:"$schema"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
}

func stateSchema(t testing.TB) *schema {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(breaker.Schema))
	dec.DisallowUnknownFields() // a keyword that check would overlook
	var s schema
	if err := dec.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func (s *schema) resolve(root *schema) *schema {
	if s.Ref != "" {
		return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	return s
}

// check returns what is wrong with a value.
func (s *schema) check(root *schema, at string, v any) error {
	s = s.resolve(root)
	if !s.hasType(v) || len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s: %v is no %v %v", at, v, s.Type, s.Enum)
	}
	switch v := v.(type) {
	case string:
		_, err := time.Parse(time.RFC3339Nano, v)
		if len(v) < s.MinLength || s.Format == "date-time" && err != nil {
			return fmt.Errorf("%s: %q", at, v)
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum || s.ExclusiveMinimum != nil && v <= *s.ExclusiveMinimum ||
			s.Maximum != nil && v > *s.Maximum {
			return fmt.Errorf("%s: %v is out of range", at, v)
		}
	case []any:
		for i, item := range v {
			if err := s.Items.check(root, fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, value := range v {
			of := s.Properties[key]
			if of == nil {
				of = s.AdditionalProperties
			}
			if of == nil {
				return fmt.Errorf("%s has %q, which the schema does not name", at, key)
			}
			if err := of.check(root, at+"."+key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *schema) hasType(v any) bool {
	types, ok := s.Type.([]any)
	if !ok {
		types = []any{s.Type}
	}
	return slices.ContainsFunc(types, func(name any) bool {
		switch v := v.(type) {
		case nil:
			return name == "null"
		case string:
			return name == "string"
		case float64:
			return name == "number" || name == "integer" && v == math.Trunc(v)
		case []any:
			return name == "array"
		case map[string]any:
			return name == "object"
		}
		return false
	})
}

// full is a document in which every field says something.
func full() *breaker.Document {
	at := noon.Add(123456700)
	circuit := breaker.CircuitState{State: breaker.HalfOpen, CurrentFallbackIndex: 1, OpenedAt: at, HalfOpenSuccesses: 1,
		ConsecutiveFailures: 2, Metrics: breaker.Metrics{TotalFallbacks: 3, TotalRecoveries: 4, LastFallbackAt: at, LastRecoveryAt: at},
		CooldownUntil: at, TrippedUntil: at, FailedProbes: 5, Resets: 6, ProbeHolder: "host:1/a", ProbeExpiresAt: at}
	return &breaker.Document{CircuitState: circuit, PreferredModel: "p", FallbackChain: []string{"a", "b"}, CooldownMinutes: 1.5,
		SuccessesToClose: 3, MaxCooldownMinutes: 90, CooldownBackoff: 2, ProbeLeaseSeconds: 30, Match: []string{"x"},
		Ignore: []string{"y"}, LimitedUntil: map[string]time.Time{"a": at},
		Circuits: map[string]*breaker.CircuitState{"q": &circuit}}
}

// TestSchema checks the schema against the code: it allows all that is written,
// names every key and no other, and has the defaults.
func TestSchema(t *testing.T) {
	s := stateSchema(t)
	for _, d := range []*breaker.Document{full(), breaker.Default()} {
		var v map[string]any
		if err := json.Unmarshal(d.Encode(), &v); err != nil {
			t.Fatal(err)
		}
		if err := s.check(s, "state", v); err != nil {
			t.Errorf("%v\n%s", err, d.Encode())
		}
	}
	var v map[string]any
	json.Unmarshal(full().Encode(), &v)
	checkKeys(t, s, "state", s, v)
	checkKeys(t, s, "metrics", s.Properties["metrics"], v["metrics"].(map[string]any))
	checkKeys(t, s, "circuits.q", s.Defs["circuit"], v["circuits"].(map[string]any)["q"].(map[string]any))

	defaults := map[string]any{}
	for key, p := range s.Properties {
		if p = p.resolve(s); p.Default != nil {
			defaults[key] = p.Default
		}
	}
	text, _ := json.Marshal(defaults)
	d, err := breaker.Decode(text)
	if err != nil || len(d.Warnings) > 0 {
		t.Fatalf("the schema's defaults: %v, %v", err, d.Warnings)
	}
	if diff := diff(breaker.Default(), d); diff != "" {
		t.Errorf("the code's defaults -, the schema's +\n%s", diff)
	}
}

func checkKeys(t *testing.T, root *schema, name string, s *schema, v map[string]any) {
	var named, written []string
	for key := range s.Properties {
		named = append(named, key)
	}
	for key := range v {
		written = append(written, key)
	}
	slices.Sort(named)
	slices.Sort(written)
	if diff := cmp.Diff(named, written); diff != "" {
		t.Errorf("%s: keys of the schema -, written +\n%s", name, diff)
	}
}

// TestSchemaRanges holds that what the schema forbids is warned of, and what it
// allows is not.
func TestSchemaRanges(t *testing.T) {
	s := stateSchema(t)
	for _, in := range []string{
		`{"cooldownMinutes": -1}`, `{"cooldownMinutes": 0}`, `{"maxCooldownMinutes": 0}`, `{"maxCooldownMinutes": 0.1, "cooldownMinutes": 0}`,
		`{"cooldownBackoff": 0.9}`, `{"cooldownBackoff": 1000}`, `{"cooldownBackoff": 1001}`, `{"probeLeaseSeconds": 0.9}`,
		`{"probeLeaseSeconds": 3600}`, `{"probeLeaseSeconds": 3601}`, `{"successesToClose": 0}`, `{"successesToClose": 1}`,
		`{"successesToClose": 1.5}`, `{"preferredModel": ""}`, `{"fallbackChain": [""]}`, `{"fallbackChain": [1]}`,
		`{"state": "ajar"}`, `{"openedAt": "soon"}`, `{"openedAt": null}`, `{"metrics": {"totalFallbacks": -1}}`,
		`{"circuits": {"m": {"resets": -1}}}`, `{"circuits": {"m": 1}}`, `{"limitedUntil": {"m": "x"}}`, `{"match": ["a"]}`, `{"match": [1]}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatal(err)
		}
		d, err := breaker.Decode([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		forbidden := s.check(s, "state", v)
		if (forbidden != nil) != (len(d.Warnings) > 0) {
			t.Errorf("%s: the schema says %v, the code warns of %v", in, forbidden, d.Warnings)
		}
	}
}

// TestFullDocument holds that full leaves out no field.
func TestFullDocument(t *testing.T) {
	v := reflect.ValueOf(full()).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "Warnings" && v.Field(i).IsZero() {
			t.Errorf("full() leaves out %s", f.Name)
		}
	}
	checkRoundTrip(t, full().Encode())
}

// TestTemplateReadsOurs: the template's functions can read and save all that we
// write, though they save no more than three levels.
func TestTemplateReadsOurs(t *testing.T) {
	p := newTemplate()
	p.file = fromJSON(string(full().Encode()))
	p.updateCircuitBreakerOnSuccess()
	d, err := breaker.Decode([]byte(p.file.toJSON()))
	if err != nil {
		t.Fatal(err)
	}
	want := full()
	want.HalfOpenSuccesses, want.ConsecutiveFailures = 2, 0
	want.State, want.OpenedAt, want.HalfOpenSuccesses, want.CurrentFallbackIndex = breaker.Closed, time.Time{}, 0, 0
	want.Metrics.TotalRecoveries, want.Metrics.LastRecoveryAt = 5, noon
	if diff := diff(want, d); diff != "" {
		t.Errorf("after the template saved it: want -, got +\n%s", diff)
	}
	if deep := depth(t, full().Encode()); deep > 3 {
		t.Errorf("the file has %d levels below the top, ConvertTo-Json -Depth 3 saves 3", deep)
	}
}

func depth(t *testing.T, data []byte) int {
	dec, level, most := json.NewDecoder(bytes.NewReader(data)), 0, 0
	for {
		tok, err := dec.Token()
		if err != nil {
			return most - 1
		}
		if d, ok := tok.(json.Delim); ok {
			if d == '{' || d == '[' {
				level++
			} else {
				level--
			}
		}
		most = max(most, level)
	}
}
