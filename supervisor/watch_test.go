package supervisor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/detect"
)

// A scene is what is seen at one moment, and what the vigil is to say of it.
type scene struct {
	at    time.Duration
	sight sight
	why   string
	again time.Duration // 0 = never
}

var (
	notice = sight{standing: true, notice: detect.Notice{Verdict: detect.Verdict{Kind: detect.Limit}}}
	sure   = sight{standing: true, notice: detect.Notice{Verdict: detect.Verdict{Kind: detect.Limit}, Sure: true}}
	calm   = sight{}
)

func waiting(series, count int, retryAfter time.Duration) sight {
	return sight{waiting: true, wait: detect.Wait{
		Series: series, Count: count, RetryAfter: retryAfter, Verdict: detect.Verdict{Kind: detect.Limit},
	}}
}

const sec = time.Second

func both(a, b sight) sight { a.wait, a.waiting = b.wait, b.waiting; return a }

// vigilTests have a grace of 10 and a patience of 5 seconds.
var vigilTests = []struct {
	name   string
	scenes []scene
}{
	{"nothing", []scene{{0, calm, "", 0}, {60 * sec, calm, "", 0}}},
	{"a notice that stays", []scene{
		{1 * sec, notice, "", 11 * sec},
		{5 * sec, notice, "", 11 * sec},
		{11 * sec, notice, byGrace, 0},
	}},
	{"a notice with an answer after it, and another", []scene{
		{1 * sec, notice, "", 11 * sec},
		{2 * sec, calm, "", 0},
		{11 * sec, calm, "", 0},
		{12 * sec, notice, "", 22 * sec},
		{22 * sec, notice, byGrace, 0},
	}},
	{"beyond doubt from the start", []scene{
		{1 * sec, sure, "", 1*sec + settle},
		{1*sec + settle, sure, byGrace, 0},
	}},
	{"beyond doubt later", []scene{
		{1 * sec, notice, "", 11 * sec},
		{4 * sec, sure, "", 4*sec + settle},
		{4*sec + settle, sure, byGrace, 0},
	}},
	{"beyond doubt just before the grace is over", []scene{
		{0, notice, "", 10 * sec},
		{10*sec - settle/2, sure, "", 10 * sec},
		{10 * sec, sure, byGrace, 0},
	}},
	{"a long wait ends at once, after a moment to give up in", []scene{
		{1 * sec, waiting(1, 1, 60*sec), "", 1*sec + speakUp},
		{1*sec + speakUp, waiting(1, 1, 60*sec), byPatience, 0},
	}},
	{"no stated wait", []scene{
		{1 * sec, waiting(1, 1, 0), "", 6 * sec},
		{6 * sec, waiting(1, 1, 0), byPatience, 0},
	}},
	{"short waits without end", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{2500 * time.Millisecond, waiting(1, 2, 2*sec), "", 5 * sec},
		{4800 * time.Millisecond, waiting(1, 3, 2*sec), "", 5 * sec},
		{5 * sec, waiting(1, 3, 2*sec), byPatience, 0},
	}},
	{"one short wait, then an answer that takes long", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{5 * sec, waiting(1, 1, 2*sec), "", 0},
		{40 * sec, waiting(1, 1, 2*sec), "", 0},
	}},
	{"a further limit after the patience", []scene{
		{0, waiting(1, 1, 5*sec), "", 5 * sec},
		{5 * sec, waiting(1, 1, 5*sec), "", 0},
		{5900 * time.Millisecond, waiting(1, 2, 5*sec), byPatience, 0},
	}},
	{"a long wait after a short one", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{2 * sec, waiting(1, 2, 60*sec), "", 2*sec + speakUp},
		{2*sec + speakUp, waiting(1, 2, 60*sec), byPatience, 0},
	}},
	{"recovered, and limited again much later", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{3 * sec, calm, "", 0},
		{60 * sec, waiting(2, 1, 2*sec), "", 65 * sec},
		{65 * sec, waiting(2, 1, 2*sec), "", 0},
	}},
	{"a new series without a calm moment seen between", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{4 * sec, waiting(2, 1, 2*sec), "", 9 * sec},
	}},
	{"limits far apart are no series", []scene{
		{0, waiting(1, 1, 2*sec), "", 5 * sec},
		{5 * sec, waiting(1, 1, 2*sec), "", 0},
		{600 * sec, waiting(1, 2, 2*sec), "", 605 * sec},
		{605 * sec, waiting(1, 2, 2*sec), "", 0},
	}},
	{"a long wait and then a notice", []scene{
		{1 * sec, waiting(1, 1, 60*sec), "", 1*sec + speakUp},
		{2 * sec, both(sure, waiting(1, 1, 60*sec)), "", 2*sec + settle},
		{2*sec + settle, both(sure, waiting(1, 1, 60*sec)), byGrace, 0},
	}},
	{"both: the sooner one counts", []scene{
		{0, notice, "", 10 * sec},
		{1 * sec, both(notice, waiting(1, 1, 0)), "", 6 * sec},
		{6 * sec, both(notice, waiting(1, 1, 0)), byPatience, 0},
	}},
}

func TestVigil(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range vigilTests {
		t.Run(tt.name, func(t *testing.T) {
			v := vigil{grace: 10 * sec, patience: 5 * sec}
			for i, s := range tt.scenes {
				r := v.look(s.sight, start.Add(s.at))
				if r.why != s.why {
					t.Fatalf("scene %d at %v: ends it %q, want %q", i, s.at, r.why, s.why)
				}
				if r.why != "" && (r.verdict.Kind != detect.Limit || r.since.IsZero()) {
					t.Errorf("scene %d: no verdict or time with the ruling: %+v", i, r)
				}
				var again time.Duration
				if !r.again.IsZero() {
					again = r.again.Sub(start)
				}
				if s.why == "" && again != s.again {
					t.Errorf("scene %d at %v: looks again at %v, want %v", i, s.at, again, s.again)
				}
			}
		})
	}
}

// TestVigilAttended has a session whose client was refused without a stated wait:
// once it may be waited out, twice it is a limit.
func TestVigilAttended(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v := vigil{grace: 10 * sec, patience: 5 * sec, attended: true}
	for _, s := range []scene{
		{0, waiting(1, 1, 0), "", 0},
		{5 * sec, waiting(1, 1, 0), "", 0},
		{40 * sec, waiting(1, 1, 0), "", 0},
		{46 * sec, waiting(1, 2, 0), byPatience, 0},
	} {
		if r := v.look(s.sight, start.Add(s.at)); r.why != s.why {
			t.Errorf("at %v: %q, want %q", s.at, r.why, s.why)
		}
	}
}

func TestVigilSwitchedOff(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var v vigil
	for _, at := range []time.Duration{0, time.Hour} {
		if r := v.look(both(sure, waiting(1, 1, 60*sec)), start.Add(at)); r.why != "" || !r.again.IsZero() {
			t.Errorf("look at %v = %+v, want nothing", at, r)
		}
	}
}

// logged returns a watch that has found a log with this text in it.
func logged(t *testing.T, text string) *watch {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	w := newWatch(&reader{}, vigil{})
	w.log, w.found = &clientLog{file: f}, true
	return w
}

// TestWatchOrder has a client log a refusal and then print an answer, and the
// watch hear of the answer first.
func TestWatchOrder(t *testing.T) {
	w := logged(t, "limit\n")
	w.observe(detect.Stdout, []byte("answer\n"))
	if v := w.close(childEnd{Exit: Exit{Code: 1}}, time.Now()); v.Kind != detect.None {
		t.Errorf("verdict %q, want none: the answer came after the refusal", v.Kind)
	}
}

// TestWatchAlone has a session's screen be drawn again after a refusal: only a
// watch that looks at the log alone still sees the client wait.
func TestWatchAlone(t *testing.T) {
	for _, alone := range []bool{false, true} {
		w := logged(t, "wait=30m\n")
		if alone {
			w.alone = &reader{}
		}
		w.observe(detect.Terminal, []byte("answer\n"))
		if s := w.see(time.Now()); s.waiting != alone {
			t.Errorf("log alone %v: waiting %v", alone, s.waiting)
		}
		w.close(childEnd{}, time.Now())
	}
}
