package detect

// A view is what the rules say of a text by itself, wherever it stands.
type view struct {
	rule     int // index of the rule that recognizes it, -1 = none
	scope    Scope
	sure     bool // the scope was stated
	retries  bool
	labelled bool   // an error's label stands in front
	talk     string // why it is none all the same, "" = it may be one
}

const (
	maxViews    = 64
	maxViewText = 512
)

// view looks at a text, once: a client that waits or draws says the same over
// and over, and whoever asks for what stands now looks at the same rows again.
func (d *Detector) view(s string, tree bool) view {
	key := s
	if tree {
		key = "└" + s
	}
	if v, ok := d.views[key]; ok {
		return v
	}
	v := viewOf(s, d.client, tree)
	if len(s) <= maxViewText {
		if d.views == nil || len(d.views) >= maxViews {
			d.views = make(map[string]view, maxViews)
		}
		d.views[key] = v
	}
	return v
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
	v.scope, v.sure = scopeOf(t.low[0], r.scope)
	if r.verdict != Limit || !v.sure && r.scope != "" {
		v.scope, v.sure = r.scope, r.scope != ""
	}
	return v
}
