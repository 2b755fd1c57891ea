package detect

import (
	"hash/maphash"
	"regexp"
	"strings"
	"time"
)

// A view is what the rules say of a text by itself, wherever it stands.
type view struct {
	rule     int   // index of the rule that recognizes it, -1 = none
	scope    Scope // of the finding
	said     Scope // as the text states it, or else the rule's
	sure     bool  // the scope was stated
	retries  bool
	labelled bool   // an error's label stands in front
	talk     string // why it is none all the same, "" = it may be one
}

// A memo keeps what was found out about texts by themselves: a client that
// waits or draws says the same over and over, and whoever asks for what stands
// now looks at the same rows again.
type memo = slots[fact]

// A fact is what is known about one text; known says what of it is.
type fact struct {
	known uint8
	fits  uint8  // the bits of the patterns that it begins with
	view  view   // as a text of its own
	tree  view   // behind the mark of a tool's result
	shape string // why its shape rules it out

	timeless bool // states no time at which a limit ends
}

// maxCleaned bounds a row that is kept as the rules see it.
const maxCleaned = 160

// line is a row as the rules see it.
func (d *Detector) line(row []byte) line {
	if len(row) == 0 || len(row) > maxCleaned {
		return cleanLine(row)
	}
	if d.cleaned == nil {
		d.cleaned = new(slots[line])
	}
	l, held := d.cleaned.find(maphash.Bytes(seed, row))
	if !held {
		*l = cleanLine(row)
	}
	return *l
}

// latest is the latest row of a stream, of which trimmed is all, as the rules see it.
func (r *run) latest(s *side, trimmed []byte) line {
	b := s.back(0)
	if len(b) == rowBytes {
		b = trimmed[:min(len(trimmed), 4<<10)]
	}
	return r.d.line(b)
}

const (
	knowsView = 1 << iota
	knowsTree
	knowsShape
	knowsLabelled
	knowsFooter
	knowsStatus
	knowsGaveUp
	knowsBlames
)

// fact is what is kept about a text. unknown reports, once, that what is asked
// for has to be filled in.
func (d *Detector) fact(s string, what uint8) (f *fact, unknown bool) {
	if d.memo == nil {
		d.memo = new(memo)
	}
	f, _ = d.memo.find(maphash.String(seed, s))
	unknown = f.known&what == 0
	f.known |= what
	return f, unknown
}

// view is what the rules say of a text; tree that it stands behind the mark of
// a tool's result.
func (d *Detector) view(s string, tree bool) view {
	if tree {
		f, unknown := d.fact(s, knowsTree)
		if unknown {
			f.tree = viewOf(s, d.client, true)
		}
		return f.tree
	}
	f, unknown := d.fact(s, knowsView)
	if unknown {
		f.view = viewOf(s, d.client, false)
	}
	return f.view
}

// shape says why the shape of a line that begins with the text rules it out, or "".
func (d *Detector) shape(s string) string {
	f, unknown := d.fact(s, knowsShape)
	if unknown {
		f.shape = noNotice(s)
	}
	return f.shape
}

// labelled reports that the text begins with the label of an error.
func (d *Detector) labelled(s string) bool {
	return d.fits(s, knowsLabelled, labelled, strings.ToLower)
}

// footer reports that the text is what clients print after they have given up.
func (d *Detector) footer(s string) bool {
	return d.fits(s, knowsFooter, footer, strings.ToLower)
}

// status reports that the text is a client's word about itself.
func (d *Detector) status(s string) bool {
	return d.fits(s, knowsStatus, status, strings.ToLower)
}

// gaveUp reports that the text says that the run ended, and not why.
func (d *Detector) gaveUp(s string) bool { return d.fits(s, knowsGaveUp, gaveUp, fold) }

// blames reports that the text is another service's error.
func (d *Detector) blames(s string) bool {
	f, unknown := d.fact(s, knowsBlames)
	if unknown && blames(s) {
		f.fits |= knowsBlames
	}
	return f.fits&knowsBlames != 0
}

func (d *Detector) fits(s string, what uint8, pattern func() *regexp.Regexp, lower func(string) string) bool {
	f, unknown := d.fact(s, what)
	if unknown && pattern().MatchString(lower(s)) {
		f.fits |= what
	}
	return f.fits&what != 0
}

// reset is when a text says that the limit ends.
func (d *Detector) reset(text string, now time.Time) (end reset) {
	f, _ := d.fact(text, 0)
	if !f.timeless {
		end = parseReset(text, now, d.opts.Zone)
		f.timeless = end == reset{}
	}
	return end
}

func viewOf(s, client string, tree bool) view {
	t := newText(s, client)
	t.tree = tree
	i, ok := t.match()
	if !ok {
		return view{rule: -1}
	}
	r := &rules[i]
	v := view{rule: i, retries: r.retries || goesOn.in(t.bytes), labelled: t.labels > 0, talk: t.talk(r)}
	v.said, v.sure = scopeOf(t.low[0], r.scope)
	if v.scope = v.said; r.verdict != Limit || !v.sure && r.scope != "" {
		v.scope, v.sure = r.scope, r.scope != ""
	}
	return v
}
