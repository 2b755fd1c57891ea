package breaker_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ralph-run/ralph-run/breaker"
)

// FuzzRoundTrip puts a key that we do not know into a file, at any place, and
// lets the circuit go through all its states: the key and its value stay, after
// the same key as before.
func FuzzRoundTrip(f *testing.F) {
	f.Add("note", `{"a": [1, 2.50, null], "b": "\u00e9<&>"}`, uint8(3))
	f.Add("", `1e400`, uint8(0))
	f.Add("zz\"\\\n\u2028", `"\ud800"`, uint8(200))
	f.Add("metrics2", `[]`, uint8(9))
	f.Fuzz(func(t *testing.T, key, value string, place uint8) {
		if !json.Valid([]byte(value)) || known(key) || !utf8.ValidString(key+value) {
			t.Skip()
		}
		lines := strings.Split(strings.TrimSpace(f1Flat), "\n")
		at := 1 + int(place)%(len(lines)-2)
		name, _ := json.Marshal(key)
		lines = append(lines[:at:at], append([]string{string(name) + ": " + value + ","}, lines[at:]...)...)
		in := strings.Join(lines, "\n")
		if strings.Contains(lines[at-1], "metrics") {
			t.Skip() // the last key has no comma after it
		}
		d, err := breaker.Decode([]byte(in))
		if err != nil {
			t.Fatalf("Decode(%q) = %v", in, err)
		}
		for i, now := 0, noon; i < 6; i, now = i+1, now.Add(20*time.Minute) {
			a := give(t, d, "run", now)
			if i < 2 {
				limit(d, a, now)
			} else {
				success(d, a, now)
			}
			checkMember(t, in, d.Encode(), key, value)
			if d, err = breaker.Decode(d.Encode()); err != nil {
				t.Fatal(err)
			}
		}
		if d.State != breaker.Closed || d.Metrics.TotalRecoveries == 0 {
			t.Errorf("the circuit did not recover:\n%s", d.Encode())
		}
	})
}

// f1Flat is the template's file, a key a line.
const f1Flat = `{
"state": "closed",
"preferredModel": "p",
"fallbackChain": ["a", "b"],
"currentFallbackIndex": 0,
"cooldownMinutes": 10,
"openedAt": null,
"halfOpenSuccesses": 0,
"consecutiveFailures": 0,
"metrics": {"totalFallbacks": 0, "totalRecoveries": 0, "lastFallbackAt": null, "lastRecoveryAt": null}
}`

func known(key string) bool {
	lower := strings.ToLower(string(breaker.Schema))
	name, _ := json.Marshal(strings.ToLower(key))
	if strings.Contains(lower, string(name)+":") {
		return true
	}
	for _, foreign := range []string{"status", "consecutiveSuccesses", "lastRateLimitRemaining", "currentModel",
		"lastRateLimitHit", "requiredSuccessesToClose", "totalFallbacks", "totalRecoveries"} {
		if strings.EqualFold(key, foreign) {
			return true
		}
	}
	// EqualFold knows more letters than ToLower, such as the Kelvin sign.
	return strings.ContainsAny(key, "\u212a\u017f")
}

// checkMember holds that the first copy of key in out has the value, as it was
// but for blanks, and that the same key comes before it.
func checkMember(t *testing.T, in string, out []byte, key, value string) {
	t.Helper()
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(value)); err != nil {
		t.Fatal(err)
	}
	before, _ := memberOf(t, []byte(in), key)
	place, got := memberOf(t, out, key)
	if got != want.String() || place != before {
		t.Fatalf("%q: %s after %q became %s after %q:\n%s", key, want.String(), before, got, place, out)
	}
}

// memberOf returns a top-level member's value without blanks, and the name of
// the member before it.
func memberOf(t *testing.T, data []byte, key string) (before, value string) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.Token()
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		if tok == key {
			var b bytes.Buffer
			json.Compact(&b, raw)
			return before, b.String()
		}
		before = tok.(string)
	}
	t.Fatalf("%q is gone:\n%s", key, data)
	return "", ""
}
