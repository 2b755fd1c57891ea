package supervisor

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLoopNotAgain has the command not start a second time.
func TestLoopNotAgain(t *testing.T) {
	tr := newTrial(limited).run(t)
	tr.check(t, "a", "a:limit b:failure", left(1))
	if n := len(tr.said); n != 2 || !strings.HasPrefix(tr.said[1], "the command cannot be run again: ") {
		t.Errorf("said %q, want why it was not run again", tr.said)
	}
}

// TestLoopOutputFails has our own output fail.
func TestLoopOutputFails(t *testing.T) {
	tr := newTrial(func(a *actor) Exit { a.end.outErr = errors.New("no space left"); return limited(a) }).run(t)
	if want := "write output: no space left"; tr.err == nil || tr.err.Error() != want {
		t.Errorf("error %v, want %q", tr.err, want)
	}
	if got := tr.play.models(); len(got) != 1 {
		t.Errorf("ran with %q, want one run", got)
	}
}

func TestLoopNoSuchCommand(t *testing.T) {
	tr := newTrial().run(t)
	var start *StartError
	if !errors.As(tr.err, &start) || start.Status != 127 {
		t.Errorf("error %v, want a StartError of status 127", tr.err)
	}
	if got := tr.wheel.kinds(); !slices.Equal(got, []string{"a:failure"}) {
		t.Errorf("reported %q, want the attempt given back", got)
	}
}

// TestLoopInterrupted has a limited child end because of a signal from outside:
// no retry, nothing recorded.
func TestLoopInterrupted(t *testing.T) {
	tr := newTrial(func(a *actor) Exit {
		a.print("notice")
		<-a.play.signal
		return Exit{Code: 130}
	})
	tr.run(t, func(tr *trial) {
		time.Sleep(3 * time.Second)
		tr.play.interrupt(syscall.SIGINT)
	})
	tr.check(t, "a", "a:failure", code(130))
	if tr.took != 3*time.Second || len(tr.said) > 0 {
		t.Errorf("took %v and said %q, want 3s and nothing", tr.took, tr.said)
	}
	if by := tr.result.Attempts[0].EndedBy; by != bySignal {
		t.Errorf("recorded as ended by %q, want %q", by, bySignal)
	}
}
