//go:build copilot || squad

package e2e

import (
	"strings"
	"sync"
	"time"
)

// A lockedBuffer collects output that another goroutine waits for.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// waitFor waits until the output holds text and reports whether it came in time.
func (b *lockedBuffer) waitFor(text string, limit time.Duration) bool {
	return eventually(limit, func() bool { return strings.Contains(b.String(), text) })
}

// eventually waits until ok and reports whether that came in time.
func eventually(limit time.Duration, ok func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}
