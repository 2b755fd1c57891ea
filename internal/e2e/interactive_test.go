//go:build copilot

package e2e

import (
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/copilot"
	"github.com/ralph-run/ralph-run/internal/standin"
)

// TestInteractive: with a person at the keyboard the session is never ended. The
// limit is recorded, and the next start uses the fallback.
func TestInteractive(t *testing.T) {
	t.Parallel()
	w := limited(t, copilot.Service, standin.Limit("user_model_rate_limited", 30*time.Minute))
	session := w.terminal(under([]string{"copilot", "--model", preferred}, "--patience", "1s", "--grace", "1s"))
	session.shows("Do you trust the files in this folder?")
	session.types("Enter")
	session.shows("? help")
	session.types("say ok")
	session.shows("❯ say ok")
	session.types("Enter")
	session.shows("Switch to auto mode?")

	// Nothing shall happen, so there is no event to wait for; both bounds above
	// are long over by then.
	time.Sleep(4 * time.Second)
	session.shows("Switch to auto mode?")
	if len(w.clients(preferred)) == 0 {
		t.Fatalf("the session was ended:\n%s", session.screen())
	}
	session.types("Escape")
	session.shows("? help")
	session.types("/exit")
	session.shows("❯ /exit")
	session.types("Enter")
	if !eventually(20*time.Second, func() bool { return len(w.processes(program)) == 0 }) {
		t.Fatalf("the session did not end:\n%s", session.screen())
	}
	w.isOpen()

	next := w.terminal(under([]string{"copilot", "--model", preferred}))
	next.shows("Do you trust the files in this folder?")
	next.types("Enter")
	next.shows("? help")
	next.shows(second)
	next.types("say ok")
	next.shows("❯ say ok")
	next.types("Enter")
	next.shows(answer)
}
