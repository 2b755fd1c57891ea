package breaker_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ralph-run/ralph-run/breaker"
)

// utf16le and utf16be write text as Out-File and > of Windows PowerShell do.
func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func utf16be(s string) string {
	b := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// f1 is the template's own example, open.
const f1 = `{
    "state": "open",
    "preferredModel": "claude-sonnet-4.6",
    "fallbackChain": ["gpt-5.4-mini", "gpt-5-mini", "gpt-4.1"],
    "currentFallbackIndex": 1,
    "cooldownMinutes": 10,
    "openedAt": "2026-03-18T10:00:00.1234567+01:00",
    "halfOpenSuccesses": 0,
    "consecutiveFailures": 2,
    "metrics": {
        "totalFallbacks": 3,
        "totalRecoveries": 2,
        "lastFallbackAt": "2026-03-18T10:00:00.1234567+01:00",
        "lastRecoveryAt": null
    }
}
`

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

var f1Opened = at("2026-03-18T09:00:00.1234567Z")

func isF1(d *breaker.Document) {
	d.State, d.CurrentFallbackIndex, d.ConsecutiveFailures = breaker.Open, 1, 2
	d.OpenedAt = f1Opened
	d.Metrics = breaker.Metrics{TotalFallbacks: 3, TotalRecoveries: 2, LastFallbackAt: f1Opened}
}

func with(f func(d *breaker.Document)) *breaker.Document {
	d := breaker.Default()
	f(d)
	return d
}

type D = breaker.Document

// decodeTests are the state files that are out there. warn lists the keys that
// are warned of.
var decodeTests = []struct {
	name, in string
	want     *D
	warn     []string
}{
	{name: "empty", in: "", want: breaker.Default()},
	{name: "blank lines", in: "\r\n \n", want: breaker.Default()},
	{name: "byte order mark only", in: "\xef\xbb\xbf", want: breaker.Default()},
	{name: "no keys", in: "{}", want: breaker.Default()},
	{name: "f1", in: f1, want: with(isF1)},
	{name: "f1 with byte order mark", in: "\xef\xbb\xbf" + f1, want: with(isF1)},
	{name: "f1 with crlf", in: crlf(f1), want: with(isF1)},
	{name: "f1 in utf-16 le", in: utf16le(crlf(f1)), want: with(isF1)},
	{name: "f1 in utf-16 be", in: utf16be(crlf(f1)), want: with(isF1)},
	{name: "utf-16 le without mark", in: utf16le(f1)[2:], want: with(isF1)},
	{name: "windows-1252", in: "{\"preferredModel\": \"caf\xe9 \x80\x93\"}",
		want: with(func(d *D) { d.PreferredModel = "café €“" })},
	{name: "utf-16 surrogates", in: utf16le(`{"preferredModel": "m😀"}`),
		want: with(func(d *D) { d.PreferredModel = "m😀" })},
	{name: "keys in another case", in: `{"State": "OPEN", "PREFERREDMODEL": "m", "OpenedAt": "2026-03-18T09:00:00Z"}`,
		want: with(func(d *D) {
			d.State, d.PreferredModel, d.OpenedAt = breaker.Open, "m", at("2026-03-18T09:00:00Z")
		})},
	{name: "a key twice", in: `{"preferredModel": "a", "x": 1, "preferredModel": "b"}`,
		want: with(func(d *D) { d.PreferredModel = "b" })},

	{name: "chain as a string", in: `{"fallbackChain": "gpt-4.1"}`,
		want: with(func(d *D) { d.FallbackChain = []string{"gpt-4.1"} })},
	{name: "chain as 5.1 wraps it", in: `{"fallbackChain": {"value": ["a", "b"], "Count": 2}}`,
		want: with(func(d *D) { d.FallbackChain = []string{"a", "b"} })},
	{name: "empty chain", in: `{"fallbackChain": []}`, want: with(func(d *D) { d.FallbackChain = nil })},
	{name: "null chain", in: `{"fallbackChain": null}`, want: with(func(d *D) { d.FallbackChain = nil })},
	{name: "chain of numbers", in: `{"fallbackChain": [1, 2]}`, want: breaker.Default(), warn: []string{"fallbackChain"}},
	{name: "duplicates, blanks and the preferred model in the chain",
		in: `{"preferredModel": "p", "fallbackChain": ["a", "p", "a", ""]}`,
		want: with(func(d *D) {
			d.PreferredModel, d.FallbackChain = "p", []string{"a", "p", "a", ""}
		}), warn: []string{"fallbackChain", "fallbackChain", "fallbackChain"}},
	{name: "index outside the chain", in: `{"currentFallbackIndex": 9}`,
		want: with(func(d *D) { d.CurrentFallbackIndex = 9 }), warn: []string{"currentFallbackIndex"}},
	{name: "negative index", in: `{"currentFallbackIndex": -1}`, want: breaker.Default(), warn: []string{"currentFallbackIndex"}},

	{name: "numbers as strings", in: `{"cooldownMinutes": "15", "consecutiveFailures": " 3 ", "metrics": {"totalFallbacks": "7"}}`,
		want: with(func(d *D) {
			d.CooldownMinutes, d.ConsecutiveFailures, d.Metrics.TotalFallbacks = 15, 3, 7
		})},
	{name: "whole numbers with a fraction", in: `{"halfOpenSuccesses": 1.0}`, want: with(func(d *D) { d.HalfOpenSuccesses = 1 })},
	{name: "fractional cooldown", in: `{"cooldownMinutes": 0.5}`, want: with(func(d *D) { d.CooldownMinutes = 0.5 })},
	{name: "negative cooldown", in: `{"cooldownMinutes": -5}`,
		want: with(func(d *D) { d.CooldownMinutes = -5 }), warn: []string{"cooldownMinutes"}},
	{name: "huge cooldown", in: `{"cooldownMinutes": 1e300}`,
		want: with(func(d *D) { d.CooldownMinutes = 1e300 }), warn: []string{"cooldownMinutes"}},
	{name: "cooldown that is no number", in: `{"cooldownMinutes": "ten"}`, want: breaker.Default(), warn: []string{"cooldownMinutes"}},
	{name: "cooldown that overflows", in: `{"cooldownMinutes": 1e999}`, want: breaker.Default(), warn: []string{"cooldownMinutes"}},
	{name: "null everywhere", in: `{"state": null, "preferredModel": null, "cooldownMinutes": null, "openedAt": null, "metrics": null}`,
		want: breaker.Default()},
	{name: "settings out of range",
		in: `{"successesToClose": 0, "maxCooldownMinutes": 0, "cooldownBackoff": 0.5, "probeLeaseSeconds": 0.1}`,
		want: with(func(d *D) {
			d.SuccessesToClose, d.MaxCooldownMinutes, d.CooldownBackoff, d.ProbeLeaseSeconds = 0, 0, 0.5, 0.1
		}), warn: []string{"cooldownBackoff", "maxCooldownMinutes", "probeLeaseSeconds", "successesToClose"}},
	{name: "everything of another type",
		in: `{"state": 1, "preferredModel": [], "fallbackChain": 5, "currentFallbackIndex": true, "cooldownMinutes": {},
			"openedAt": [], "halfOpenSuccesses": "x", "consecutiveFailures": 1.5, "metrics": [], "limitedUntil": 3, "circuits": "no"}`,
		want: with(func(d *D) { d.OpenedAt = time.Unix(0, 0).UTC() }),
		warn: []string{"circuits", "consecutiveFailures", "cooldownMinutes", "currentFallbackIndex", "fallbackChain",
			"halfOpenSuccesses", "limitedUntil", "metrics", "openedAt", "preferredModel", "state"}},
	{name: "unknown state", in: `{"state": "ajar"}`, want: breaker.Default(), warn: []string{"state"}},
	{name: "exhausted", in: `{"state": "exhausted"}`, want: with(func(d *D) { d.State = breaker.Open })},
	{name: "blank model", in: `{"preferredModel": " "}`, want: breaker.Default(), warn: []string{"preferredModel"}},

	{name: "ours", in: `{"cooldownUntil": "2026-01-01T00:00:00Z", "failedProbes": 2, "resets": 1, "probeHolder": "h:1/a",
		"probeExpiresAt": "2026-01-01T00:02:00Z", "limitedUntil": {"m": "2026-01-02T00:00:00Z", "bad": "soon"},
		"circuits": {"m": {"state": "open", "openedAt": "2026-01-01T00:00:00Z", "totalFallbacks": 4, "x": 1}, "n": 5},
		"match": "one", "ignore": ["a", "b"]}`,
		want: with(func(d *D) {
			d.CooldownUntil, d.FailedProbes, d.Resets = at("2026-01-01T00:00:00Z"), 2, 1
			d.ProbeHolder, d.ProbeExpiresAt = "h:1/a", at("2026-01-01T00:02:00Z")
			d.LimitedUntil = map[string]time.Time{"m": at("2026-01-02T00:00:00Z")}
			d.Circuits = map[string]*breaker.CircuitState{"m": {State: breaker.Open,
				OpenedAt: at("2026-01-01T00:00:00Z"), Metrics: breaker.Metrics{TotalFallbacks: 4}}}
			d.Match, d.Ignore = []string{"one"}, []string{"a", "b"}
		}), warn: []string{"circuits.n", "limitedUntil.bad"}},

	{name: "f3", in: `{"state": "open", "preferredModel": "p", "currentModel": "gpt-5-mini",
		"fallbackChain": ["gpt-5.4-mini", "gpt-5-mini"], "cooldownMinutes": 10, "lastRateLimitHit": "2026-03-18T09:00:00Z",
		"consecutiveSuccesses": 1, "consecutiveFailures": 2, "requiredSuccessesToClose": 3, "totalFallbacks": 5, "totalRecoveries": 4}`,
		want: with(func(d *D) {
			d.State, d.PreferredModel, d.FallbackChain = breaker.Open, "p", []string{"gpt-5.4-mini", "gpt-5-mini"}
			d.CurrentFallbackIndex, d.OpenedAt, d.ConsecutiveFailures = 1, at("2026-03-18T09:00:00Z"), 2
			d.SuccessesToClose = 3
			d.Metrics = breaker.Metrics{TotalFallbacks: 5, TotalRecoveries: 4, LastFallbackAt: at("2026-03-18T09:00:00Z")}
		})},
	{name: "f3 half-open", in: `{"state": "half-open", "currentModel": "x", "consecutiveSuccesses": 1}`,
		want: with(func(d *D) { d.State, d.HalfOpenSuccesses = breaker.HalfOpen, 1 })},
	{name: "f3 after we took over", in: `{"state": "open", "lastRateLimitHit": "2026-03-18T08:00:00Z",
		"openedAt": "2026-03-18T09:00:00Z", "currentFallbackIndex": 2, "currentModel": "gpt-5-mini", "metrics": {"totalFallbacks": 1}, "totalFallbacks": 9}`,
		want: with(func(d *D) {
			d.State, d.OpenedAt, d.CurrentFallbackIndex = breaker.Open, at("2026-03-18T09:00:00Z"), 2
			d.Metrics.TotalFallbacks = 1
		})},
}

// diff compares what a caller sees of two documents.
func diff(want, got *D) string {
	type seen D // without the method Equal, which looks at all there is
	return cmp.Diff((*seen)(want), (*seen)(got), cmpopts.IgnoreUnexported(seen{}),
		cmpopts.IgnoreFields(seen{}, "Warnings"), cmpopts.EquateEmpty())
}

func warned(d *D) []string {
	var keys []string
	for _, w := range d.Warnings {
		keys = append(keys, w.Key)
	}
	slices.Sort(keys)
	return keys
}

func TestDecode(t *testing.T) {
	for _, tt := range decodeTests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := breaker.Decode([]byte(tt.in))
			if err != nil {
				t.Fatalf("Decode(%q) = %v", tt.in, err)
			}
			if diff := diff(tt.want, d); diff != "" {
				t.Errorf("Decode(%q): want -, got +\n%s", tt.in, diff)
			}
			if got := warned(d); !slices.Equal(got, tt.warn) {
				t.Errorf("Decode(%q) warns of %q, want %q", tt.in, d.Warnings, tt.warn)
			}
			checkRoundTrip(t, []byte(tt.in))
		})
	}
}

// checkRoundTrip holds that what is written reads as the same, is written the
// same again, is plain JSON, and keeps every unknown key.
func checkRoundTrip(t *testing.T, in []byte) {
	t.Helper()
	d, err := breaker.Decode(in)
	if err != nil {
		return
	}
	once := d.Encode()
	if !json.Valid(once) {
		t.Fatalf("Encode() of %q is no JSON:\n%s", in, once)
	}
	e, err := breaker.Decode(once)
	if err != nil {
		t.Fatalf("Decode(Encode()) of %q = %v", in, err)
	}
	if diff := diff(d, e); diff != "" {
		t.Fatalf("Decode(Encode()) of %q: first -, second +\n%s", in, diff)
	}
	if twice := e.Encode(); string(once) != string(twice) {
		t.Fatalf("Encode() of %q twice:\n%s\n%s", in, once, twice)
	}
	if diff := diff(d, d.Clone()); diff != "" || !d.Equal(d.Clone()) {
		t.Fatalf("Clone() of %q differs\n%s", in, diff)
	}
}

func TestDecodeCorrupt(t *testing.T) {
	for _, in := range []string{
		"{", "[]", "null", "open", `"text"`, `{"state": }`, `{"a": 1} {"b": 2}`, `{"a": 1}}`, "\x00\x00\x00\x00",
		f1[:len(f1)/2], "{\"a\": \"\x01\"}", `{"a": nope}`,
	} {
		if d, err := breaker.Decode([]byte(in)); err == nil {
			t.Errorf("Decode(%q) = %s, want a CorruptError", in, d.Encode())
		}
	}
}

var timeTests = []struct{ in, want string }{ // in Europe/Berlin
	{`"2026-05-20T15:43:27Z"`, "2026-05-20T15:43:27Z"},
	{`"2026-05-20T15:43:27.123Z"`, "2026-05-20T15:43:27.123Z"},
	{`"2026-05-20T15:43:27.1234567+02:00"`, "2026-05-20T13:43:27.1234567Z"},
	{`"2026-05-20T15:43:27.123456789-07:00"`, "2026-05-20T22:43:27.1234567Z"},
	{`"2026-05-20T15:43:27"`, "2026-05-20T13:43:27Z"},
	{`"2026-01-20T15:43:27.5"`, "2026-01-20T14:43:27.5Z"},
	{`"2026-05-20 15:43:27"`, "2026-05-20T13:43:27Z"},
	{`"2026-05-20T15:43"`, "2026-05-20T13:43:00Z"},
	{`"2026-05-20"`, "2026-05-19T22:00:00Z"},
	{`"05/20/2026 15:43:27"`, "2026-05-20T13:43:27Z"},
	{`"5/20/2026 3:43:27 PM"`, "2026-05-20T13:43:27Z"},
	{`"05/20/2026 15:43:27 +00:00"`, "2026-05-20T15:43:27Z"},
	{`"/Date(1747000000000)/"`, "2025-05-11T21:46:40Z"},
	{`"\/Date(1747000000000)\/"`, "2025-05-11T21:46:40Z"},
	{`"/Date(1747000000000+0200)/"`, "2025-05-11T21:46:40Z"},
	{`{"value": "\/Date(1747000000000)\/", "DisplayHint": 2, "DateTime": "Sunday"}`, "2025-05-11T21:46:40Z"},
	{`1747000000000`, "2025-05-11T21:46:40Z"},
	{`1747000000`, "2025-05-11T21:46:40Z"},
	{`"0001-01-01T00:00:00"`, "1970-01-01T00:00:00Z"},
	{`""`, "0001-01-01T00:00:00Z"},
	{`null`, "0001-01-01T00:00:00Z"},
	{`"yesterday"`, "1970-01-01T00:00:00Z"},
	{`"/Date(99999999999999999999)/"`, "1970-01-01T00:00:00Z"},
}

func TestDecodeTime(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		zone = time.FixedZone("summer", 7200) // where there is no zone database
	}
	defer func(old *time.Location) { time.Local = old }(time.Local)
	time.Local = zone
	for _, tt := range timeTests {
		d, err := breaker.Decode([]byte(`{"state": "open", "openedAt": ` + tt.in + `}`))
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
		} else if !d.OpenedAt.Equal(at(tt.want)) {
			t.Errorf("openedAt %s reads as %v, want %s", tt.in, d.OpenedAt, tt.want)
		}
	}
}

// TestEncode holds the form of what is written: the template's keys in its
// order, in UTC, with unknown keys and unusable values where they were.
func TestEncode(t *testing.T) {
	want := strings.NewReplacer("    ", "  ", "+01:00", "Z", "T10:", "T09:", `["gpt-5.4-mini", "gpt-5-mini", "gpt-4.1"]`,
		"[\n    \"gpt-5.4-mini\",\n    \"gpt-5-mini\",\n    \"gpt-4.1\"\n  ]").Replace(f1)
	d, err := breaker.Decode([]byte(crlf(f1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(d.Encode()); got != want {
		t.Errorf("Encode() = %s, want %s", got, want)
	}
	d, _ = breaker.Decode([]byte(`{"z": [], "state": "closed", "note": "n", "cooldownMinutes": "soon", "match": []}`))
	d.State, d.ProbeHolder = breaker.Open, "h:1/x"
	got := string(d.Encode())
	for _, s := range []string{"{\n  \"z\": [],\n  \"state\": \"open\",\n  \"preferredModel\"",
		"],\n  \"currentFallbackIndex\": 0,\n  \"note\": \"n\",", "\"cooldownMinutes\": \"soon\"", "\"match\": []",
		"},\n  \"match\": [],\n  \"probeHolder\": \"h:1/x\"\n}\n"} {
		if !strings.Contains(got, s) {
			t.Errorf("Encode() lacks %q:\n%s", s, got)
		}
	}
	d.ProbeHolder = ""
	if got := string(d.Encode()); strings.Contains(got, "probeHolder") {
		t.Errorf("a key that says nothing any more stays: %s", got)
	}
	d, _ = breaker.Decode([]byte(`{"probeHolder": "x", "cooldownMinutes": "soon"}`))
	d.ProbeHolder = ""
	if got := string(d.Encode()); strings.Contains(got, "probeHolder") {
		t.Errorf("a key that says nothing any more stays: %s", got)
	}
	d.CooldownMinutes = 12
	if got := string(d.Encode()); !strings.Contains(got, "\"cooldownMinutes\": 12") {
		t.Errorf("a new value did not replace an unusable one: %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, tt := range decodeTests {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkRoundTrip(t, in) })
}
