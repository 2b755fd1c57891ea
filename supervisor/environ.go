package supervisor

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Variables that the child gets from us.
const (
	envCopilotModel = "COPILOT_MODEL"
	envModel        = "RALPH_RUN_MODEL"
	envActive       = "RALPH_RUN_ACTIVE"
)

// Getenv returns the value of a variable in env, or "". As for getenv(3), the
// first one of that name counts.
func Getenv(env []string, name string) string {
	for _, e := range env {
		if n, v, ok := strings.Cut(e, "="); ok && sameName(n, name) {
			return v
		}
	}
	return ""
}

// WithEnv returns a copy of env with name set to value, once.
func WithEnv(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if n, _, ok := strings.Cut(e, "="); !ok || !sameName(n, name) {
			out = append(out, e)
		}
	}
	return append(out, name+"="+value)
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// A marker lets the outer one of two nested supervisors know about the inner
// one. The outer one names a file that does not exist; the inner one creates it
// when it begins to decide about a model. From then on the outer one only passes
// through: it ends, records and retries nothing.
type marker string

const markerPrefix = "ralph-run-active-"

func newMarker() marker {
	return marker(filepath.Join(os.TempDir(), markerPrefix+rand.Text()))
}

// set tells the supervisor above us, if there is one, that we decide. Where the
// file cannot be made it decides too, which costs at most a second attempt.
func (m marker) set() {
	if !filepath.IsAbs(string(m)) || !strings.HasPrefix(filepath.Base(string(m)), markerPrefix) {
		return
	}
	if f, err := os.OpenFile(string(m), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}

// isSet reports that a supervisor below us decides.
func (m marker) isSet() bool {
	_, err := os.Lstat(string(m))
	return err == nil
}

func (m marker) remove() { os.Remove(string(m)) }
