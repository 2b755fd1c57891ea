package detect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/internal/transcript"
)

// A sample is one run with what is expected of it, from all the tables.
type sample struct {
	name   string
	opts   Options
	pieces []piece
	exit   Exit
	now    time.Time
}

// samples are all runs of all tables.
func samples(t testing.TB) (all []sample) {
	for _, rec := range recordings(t) {
		all = append(all, sample{rec.Name, Options{Client: rec.CLI, Split: rec.Mode != "pty"}, rec.pieces(t), rec.exit(), recordedNow})
	}
	for _, r := range allReports(t) {
		for how, e := range r.exits() {
			all = append(all, sample{r.ID + "/" + how, Options{Client: r.CLI}, []piece{{Stdout, []byte(r.Text + "\n")}}, e, recordedNow})
		}
	}
	cases, err := transcript.Load("../testdata/transcripts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := sample{name: c.Name, opts: caseOptions(c), exit: Exit{Code: c.Exit.Code, Unknown: c.Exit.Unknown}, now: c.Now}
		for _, p := range c.Pieces {
			s.pieces = append(s.pieces, piece{streamsByName[p.Stream], p.Data})
		}
		all = append(all, s)
	}
	return slices.DeleteFunc(everyNth(all, sampled), func(s sample) bool { return sampled > 1 && s.size() > 8<<10 })
}

func everyNth[T any](all []T, n int) (some []T) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

func (s sample) size() (n int) {
	for _, p := range s.pieces {
		n += len(p.data)
	}
	return n
}

// An outcome is all that a verdict is made from.
type outcome struct {
	f       finding
	decided bool
	work    bool
	session string
}

func (d *Detector) outcome(e Exit) outcome {
	f, decided := d.end(e)
	f.seq = 0 // in which piece it came is all that may differ
	return outcome{f, decided, d.run.work, d.run.session}
}

// outcome is that of the run fed in whole pieces.
func (s sample) outcome(texts *memo) outcome {
	d := New(s.opts)
	d.memo = texts
	for _, p := range s.pieces {
		d.Feed(p.stream, p.data)
	}
	return d.outcome(s.exit)
}

// TestCuts cuts every run's output in two at every byte, and feeds it byte by
// byte: it must not matter.
//
// Not all that comes before and behind is fed for every cut. From the start of
// its line on, the detector is fed in two, from a state that was reached byte by
// byte; if it is then in the state that it reaches byte by byte, all that
// follows is the same. In two means up to the end of the next line, and for
// most cuts of a long line up to its own last byte.
func TestCuts(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range samples(t) {
		if id := fmt.Sprint(s.opts.Client, s.opts.Split, s.pieces); seen[id] {
			continue // the same text with another status
		} else {
			seen[id] = true
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := newCutter(s)
			for _, p := range s.pieces {
				for at := 0; at < len(p.data); {
					at = c.line(t, p, at)
				}
			}
			want := s.outcome(c.bytewise.memo)
			if got := c.bytewise.outcome(s.exit); got != want {
				t.Errorf("byte by byte: %+v, want %+v", got, want)
			}
		})
	}
}

// A cutter feeds the same lines to detectors in different pieces.
type cutter struct {
	bytewise  *Detector // fed byte by byte up to the line in hand
	near, far *Detector // the same up to the last byte of the line, and up to the end of the next
	half      *Detector
}

func newCutter(s sample) *cutter {
	c := &cutter{New(s.opts), New(s.opts), New(s.opts), New(s.opts)}
	c.bytewise.memo = new(memo)
	for _, d := range []*Detector{c.near, c.far, c.half} {
		d.memo = c.bytewise.memo // what the rules say of a text does not depend on cuts
	}
	return c
}

// line cuts the line at p[at:] at every byte, and returns where it ends.
func (c *cutter) line(t *testing.T, p piece, at int) (end int) {
	end = lineEnd(p.data, at)
	last, next := end-1, lineEnd(p.data, end)
	c.near.become(c.bytewise, p.stream)
	c.near.feedBytes(p.stream, p.data[at:last])
	c.far.become(c.near, p.stream)
	c.far.feedBytes(p.stream, p.data[last:next])
	for cut := at; cut < end; cut++ {
		c.half.become(c.bytewise, p.stream)
		c.half.Feed(p.stream, p.data[at:cut])
		want, until := c.near, last
		if cut == last || (cut-at)%(1+(end-at)/160) == 0 {
			want, until = c.far, next
		}
		c.half.Feed(p.stream, p.data[cut:until])
		if diff := c.half.differs(want, p.stream); diff != "" {
			t.Fatalf("cut at %d of %q: %s", cut-at, p.data[at:until], diff)
		}
	}
	c.bytewise.feedBytes(p.stream, p.data[at:end])
	for _, d := range []*Detector{c.near, c.far, c.half} {
		d.become(c.bytewise, p.stream)
	}
	return end
}

// lineEnd is where the line at p[at:] ends, behind its newline.
func lineEnd(p []byte, at int) int {
	if n := bytes.IndexByte(p[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(p)
}

func (d *Detector) feedBytes(id Stream, p []byte) {
	for i := range p {
		d.Feed(id, p[i:i+1])
	}
}

// become takes the state of another detector, of which d has all but the stream.
func (d *Detector) become(o *Detector, id Stream) {
	d.run.state, d.seq, d.echoes = o.run.state, o.seq, slices.Clone(o.echoes)
	d.run.streams[id].thread = o.run.streams[id].thread
	for k := range min(o.run.streams[id].n, recentRows) {
		d.run.streams[id].rows[k].n = copy(d.run.streams[id].rows[k].buf[:], o.run.streams[id].rows[k].bytes())
	}
	from, to := &o.screens[id], &d.screens[id]
	rows := to.rows[:0]
	*to = *from
	to.store, to.spare, to.buf = nil, nil, nil
	for i, r := range from.rows {
		if i < cap(rows) {
			rows = rows[:i+1]
		} else {
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i][:0], r...)
	}
	to.rows = rows
}

// differs says in what the states of two detectors differ, "" if in nothing.
func (d *Detector) differs(o *Detector, id Stream) string {
	a, b := d.run.state, o.run.state
	a.last.seq, b.last.seq, a.series.last.seq, b.series.last.seq = 0, 0, 0, 0
	s, t := &d.run.streams[id], &o.run.streams[id]
	v, w := &d.screens[id], &o.screens[id]
	switch {
	case a != b:
		return fmt.Sprintf("state %+v, want %+v", a, b)
	case !reflect.DeepEqual(s.thread, t.thread):
		return fmt.Sprintf("thread %+v, want %+v", s.thread, t.thread)
	case v.esc.state != w.esc.state, v.esc != w.esc && v.esc.state != ground, v.row != w.row, v.col != w.col && v.inside, v.inside != w.inside, v.window != w.window, v.saved != w.saved, v.size != w.size, string(v.part[:v.parts]) != string(w.part[:w.parts]):
		return fmt.Sprintf("screen %s, want %s", v, w)
	case len(v.rows)+len(w.rows) > 1 && !slices.EqualFunc(v.rows, w.rows, bytes.Equal): // one empty row is as none
		return fmt.Sprintf("rows %q, want %q", v.rows, w.rows)
	}
	for k := range recentRows {
		if !bytes.Equal(s.back(k), t.back(k)) {
			return fmt.Sprintf("row %d before the latest %q, want %q", k, s.back(k), t.back(k))
		}
	}
	return ""
}

func (s *screen) String() string {
	return fmt.Sprintf("escape %+v, row %d, column %d, inside %t, window %t, saved %v, size %d, part %q, rows %q", s.esc, s.row, s.col, s.inside, s.window, s.saved, s.size, s.part[:s.parts], s.rows)
}

// TestPieces asks what stands, and cuts anew, at random places.
func TestPieces(t *testing.T) {
	for n, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			texts, random := new(memo), rand.New(rand.NewPCG(uint64(n), 4))
			want := s.outcome(texts)
			for range 4 {
				d := New(s.opts)
				d.memo = texts
				for _, p := range s.pieces {
					for rest := p.data; len(rest) > 0; {
						k := 1 + random.IntN(min(len(rest), 1<<random.IntN(12)))
						d.Feed(p.stream, rest[:k])
						if rest = rest[k:]; random.IntN(64) == 0 {
							d.Standing(s.now)
							d.Waiting(s.now)
						}
					}
				}
				if got := d.outcome(s.exit); got != want {
					t.Fatalf("%+v, want %+v", got, want)
				}
			}
		})
	}
}

func FuzzPieces(f *testing.F) {
	for _, found := range []string{ // cut-dependent once, or a crash
		"eb\u0301c\re\u0301✗", "中文 the quick\rcodex", "│ dex\ré\xe2", "\x1b[2A\n\xe2", "Error: " + strings.Repeat("x", 2*rowBytes) + " {\n}\n",
	} {
		for cut := range min(len(found), 32) {
			f.Add([]byte(found), uint16(cut), uint8(Terminal), uint8(1))
		}
	}
	seen := map[string]bool{}
	for _, s := range samples(f) {
		for _, p := range s.pieces {
			if k := string(p.data); len(k) < 1<<10 && !seen[k] {
				seen[k] = true
				f.Add(p.data, uint16(len(p.data)/2), uint8(p.stream), uint8(s.exit.Code))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, stream, status uint8) {
		id := Stream(stream % 4)
		whole, halves := New(Options{Prompt: "fix the rate limit exceeded error"}), New(Options{Prompt: "fix the rate limit exceeded error"})
		whole.Feed(id, data)
		n := min(int(cut), len(data))
		halves.Feed(id, bytes.Clone(data[:n]))
		halves.Standing(recordedNow)
		halves.Feed(id, bytes.Clone(data[n:]))
		e := Exit{Code: int(status)}
		if got, want := halves.outcome(e), whole.outcome(e); got != want {
			t.Errorf("cut at %d: %+v, want %+v", n, got, want)
		}
		if seen := redact(whole.run.last.text); strings.ContainsAny(seen, "\n\x00\x1b") || len(seen) > maxEvidence+4 {
			t.Errorf("evidence %q is not fit to be shown", seen)
		}
	})
}
