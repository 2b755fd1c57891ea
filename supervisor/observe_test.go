//go:build unix

package supervisor

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/detect"
)

// written returns a pipe's route that has this text in it and nobody who writes
// more, and the other end of where it goes.
func written(t *testing.T, stream detect.Stream, text string) (r *route, out *os.File) {
	t.Helper()
	from, child, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { to.Close(); out.Close() })
	child.WriteString(text)
	child.Close()
	r = &route{from: from, to: to, stream: stream, broken: func(error) {}}
	r.read = r.readPipe
	return r, out
}

// TestOrderOfStreams has a client write to stdout and then to stderr, and the
// reading of stdout come late: the observer is shown stdout first, and the bytes
// of stderr have been passed on long before.
func TestOrderOfStreams(t *testing.T) {
	answer, _ := written(t, detect.Stdout, "answer\n")
	notice, passed := written(t, detect.Stderr, "notice\n")
	notice.first = answer
	var seen strings.Builder
	r := newRelay(func(_ detect.Stream, p []byte) { seen.Write(p) }, zap.NewNop())
	r.orderWait = time.Hour
	go r.watch()
	r.carry(notice)
	if _, err := io.ReadFull(passed, make([]byte, len("notice\n"))); err != nil {
		t.Fatal(err)
	}
	r.carry(answer)
	r.copies.Wait()
	r.finish()
	if got, want := seen.String(), "answer\nnotice\n"; got != want {
		t.Errorf("shown: %q, want %q", got, want)
	}
}

// TestOrderDoesNotWaitForEver has a stdout that nobody reads: stderr is seen
// without it.
func TestOrderDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	answer, _ := written(t, detect.Stdout, "answer\n")
	notice, _ := written(t, detect.Stderr, "notice\n")
	notice.first = answer
	shown := make(chan string, 2)
	r := newRelay(func(_ detect.Stream, p []byte) { shown <- string(p) }, zap.NewNop())
	go r.watch()
	r.carry(notice)
	if got := <-shown; got != "notice\n" {
		t.Errorf("shown first: %q", got)
	}
	r.carry(answer)
	if got := <-shown; got != "answer\n" {
		t.Errorf("shown next: %q", got)
	}
	r.copies.Wait()
	r.finish()
}
