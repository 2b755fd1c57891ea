package sim

import "time"

// A template is what the five PowerShell functions that ralph-run replaces keep
// in their file, and what they do with it, faults included. Only which fallback
// they give is left out: here no fallback is ever limited.
type template struct {
	state             string
	openedAt          time.Duration
	halfOpenSuccesses int
}

const templateCooldown = 10 * time.Minute

// getCurrentModel reports whether it is the preferred one.
func (t *template) getCurrentModel(now time.Duration) bool {
	if t.state != "open" {
		return true
	}
	if now-t.openedAt < templateCooldown {
		return false
	}
	t.state, t.halfOpenSuccesses = "half-open", 0
	return true
}

func (t *template) updateOnSuccess() {
	if t.state != "half-open" {
		return
	}
	if t.halfOpenSuccesses++; t.halfOpenSuccesses >= 2 {
		t.state, t.halfOpenSuccesses = "closed", 0
	}
}

func (t *template) updateOnRateLimit(now time.Duration) {
	t.state, t.openedAt, t.halfOpenSuccesses = "open", now, 0
}
