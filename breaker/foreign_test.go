package breaker_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// f2 is what squad watch writes.
const f2 = `{
  "status": "open",
  "cooldownMinutes": 2,
  "openedAt": "2026-03-18T09:00:00.123Z",
  "consecutiveSuccesses": 0,
  "consecutiveFailures": 1,
  "lastRateLimitRemaining": null,
  "lastRateLimitTotal": null
}`

func beside(path string) string { return strings.TrimSuffix(path, ".json") + ".run.json" }

// TestSquadWatch: a file of squad watch is left alone, and the circuit is kept
// beside it, with the models that the file names.
func TestSquadWatch(t *testing.T) {
	for _, tt := range []struct {
		name, file, preferred, fallback string
	}{
		{"its own file", f2, "seed", "seed-fallback"},
		{"with our models", strings.Replace(f2, "{", `{"state": "open", "preferredModel": "m", "fallbackChain": "n",`, 1), "m", "n"},
		{"status alone", `{"status": "closed"}`, "seed", "seed-fallback"},
		{"a counter alone", `{"lastRateLimitRemaining": 5}`, "seed", "seed-fallback"},
		{"another counter alone", `{"consecutiveSuccesses": 1}`, "seed", "seed-fallback"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := statePath(t)
			writeState(t, path, tt.file)
			s := breaker.NewFileStore(path)
			told := notices(s)
			c := breaker.NewCircuit(s, breaker.Options{SeedPreferred: "seed", SeedFallback: []string{"seed-fallback"}})
			if a, err := use(t, c); err != nil || a.Model != tt.preferred || a.Role != breaker.Preferred {
				t.Errorf("Acquire() = %+v, %v, want %s", a, err, tt.preferred)
			}
			if a, err := use(t, c); err != nil || a.Model != tt.fallback {
				t.Errorf("Acquire() after a limit = %+v, %v, want %s", a, err, tt.fallback)
			}
			if data, _ := os.ReadFile(path); string(data) != tt.file {
				t.Errorf("squad watch's file was changed to %s", data)
			}
			d := readState(t, beside(path))
			if d.State != breaker.Open || d.CooldownMinutes != 10 || d.PreferredModel != tt.preferred {
				t.Errorf("the circuit beside it is %s", d.Encode())
			}
			if len(*told) != 1 || (*told)[0].Warning || !strings.Contains((*told)[0].Text, "squad watch") {
				t.Errorf("told: %v", *told)
			}
			if at, err := s.Active(t.Context()); err != nil || at != beside(path) {
				t.Errorf("Active() = %s, %v", at, err)
			}
		})
	}
}

// TestSquadWatchTakesTheFile: our file turns into squad watch's between two of
// our reads, in one process and between two. Nothing is lost.
func TestSquadWatchTakesTheFile(t *testing.T) {
	for _, one := range []bool{true, false} {
		path := statePath(t)
		writeState(t, path, `{"preferredModel": "m", "fallbackChain": ["n", "o"], "cooldownMinutes": 25, "note": "kept"}`)
		c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
		use(t, c)
		use(t, c)
		before := readState(t, path)
		writeState(t, path, f2)
		if !one {
			c = breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
		}
		a, err := c.Acquire(t.Context(), nil)
		if err != nil || a.Model != "o" {
			t.Errorf("Acquire() = %+v, %v, want the second fallback", a, err)
		}
		after := readState(t, beside(path))
		if string(before.Encode()) != string(after.Encode()) {
			t.Errorf("the state went from\n%s\nto\n%s", before.Encode(), after.Encode())
		}
		// squad watch goes on writing, and so do we.
		writeState(t, path, strings.Replace(f2, "open", "closed", 1))
		use(t, c)
		if d := readState(t, beside(path)); d.ConsecutiveFailures != 3 {
			t.Errorf("the next report went elsewhere:\n%s", d.Encode())
		}
		// It is uninstalled, and its file removed: our state stays where it is.
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if a, err := c.Acquire(t.Context(), nil); err != nil || a.Model != "o" {
			t.Errorf("Acquire() = %+v, %v", a, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("a second state was made")
		}
	}
}

// TestOlderScript: an older ralph-watch's file is taken over.
func TestOlderScript(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"state": "open", "preferredModel": "p", "currentModel": "b", "fallbackChain": ["a", "b", "c"],
		"lastRateLimitHit": "`+time.Now().UTC().Format(time.RFC3339)+`", "consecutiveSuccesses": 0, "totalFallbacks": 2}`)
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
	if a, err := use(t, c); err != nil || a.Model != "b" || a.Role != breaker.Fallback {
		t.Errorf("Acquire() = %+v, %v", a, err)
	}
	d := readState(t, path)
	if d.CurrentFallbackIndex != 2 || d.Metrics.TotalFallbacks != 2 || d.SquadWatch() {
		t.Errorf("the file is now %s", d.Encode())
	}
	// It goes on writing: a later limit of its own counts.
	later := time.Now().Add(-time.Second).UTC().Truncate(time.Second)
	data, _ := os.ReadFile(path)
	text := string(data)
	i := strings.Index(text, `"lastRateLimitHit": "`) + len(`"lastRateLimitHit": "`)
	j := strings.Index(text, `"openedAt": "`) + len(`"openedAt": "`)
	text = text[:i] + later.Format(time.RFC3339) + text[i+20:]
	text = text[:j] + "2026-01-01T00:00:00Z" + text[j+strings.IndexByte(text[j:], '"'):]
	got, err := breaker.Decode([]byte(text))
	if err != nil || !got.OpenedAt.Equal(later) {
		t.Errorf("openedAt = %v, %v, want %v", got.OpenedAt, err, later)
	}
}

func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, path := range []string{
		"home/.squad/ralph-circuit-breaker.json", "home/repo/.git/HEAD", "home/repo/a/b/x",
		"home/with/.git", "home/with/.squad/ralph-circuit-breaker.json", "home/with/a/b/x", "home/plain/a/x",
		".squad/ralph-circuit-breaker.json", "outside/a/x",
	} {
		writeState(t, filepath.Join(root, path), "{}")
	}
	for _, tt := range []struct{ dir, want string }{
		{"home/repo/a/b", "home/repo/a/b"},
		{"home/repo", "home/repo"},
		{"home/with/a/b", "home/with"},
		{"home/with", "home/with"},
		{"home/plain/a", "home"},
		{"home", "home"},
		{"outside/a", ""},
	} {
		want := filepath.Join(root, tt.want, ".squad", "ralph-circuit-breaker.json")
		if got, err := breaker.Find(filepath.Join(root, tt.dir)); err != nil || got != want {
			t.Errorf("Find(%s) = %s, %v, want %s", tt.dir, got, err, want)
		}
	}
	want := filepath.Join(home, ".squad", "ralph-circuit-breaker.json")
	if got, err := breaker.Shared(); err != nil || got != want {
		t.Errorf("Shared() = %s, %v, want %s", got, err, want)
	}
	if err := os.Remove(want); err != nil {
		t.Fatal(err)
	}
	if got, _ := breaker.Find(home); got != want {
		t.Errorf("Find(home) = %s, want it to stop there", got)
	}
}

// TestUnknownKeys looks for keys as PowerShell does: of two that differ in case
// the exact one counts.
func TestUnknownKeys(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{f1, nil},
		{`{"STATE": "open", "metrics": {"mine": 1}, "circuits": {}}`, nil},
		{`{"note": 1, "cooldownMinutes": 5, "CooldownMinutes": 6, "currentModel": "m"}`, []string{"note", "CooldownMinutes", "currentModel"}},
	} {
		d, err := breaker.Decode([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.UnknownKeys(); !slices.Equal(got, tt.want) {
			t.Errorf("UnknownKeys() of %s = %q, want %q", tt.in, got, tt.want)
		}
	}
}
