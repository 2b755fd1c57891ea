package detect

import "strings"

// lastText is the end of a text.
func lastText(s string, limit int) string {
	return strings.ToValidUTF8(s[max(0, len(s)-limit):], "")
}

// says reports that a text may say when the limit ends.
func says(when string) bool { return detail.in([]byte(when)) || localDetail.in([]byte(when)) }

// merge joins what is known of one limit that was told of twice. Texts that may
// say when it ends are kept in the order in which they came: the latest counts.
func merge(old, f finding) finding {
	switch {
	case old.kind < f.kind && !old.retries:
		old.retries = f.retries
		if newer := strings.TrimSpace(f.more + " " + f.when); says(newer) {
			old.more, old.when = old.more+" "+old.when+" "+newer, ""
		}
		f, old = old, f
	case !says(f.when):
		f.more = old.more + " " + old.when + " " + f.more
	}
	f.more = lastText(f.more, 2<<10)
	f.marked = f.marked || old.marked
	if old.sure && !f.sure || old.sure && old.scope != ScopeAccount && f.scope == ScopeAccount {
		f.scope, f.sure = old.scope, true
	}
	if f.wait == 0 {
		f.wait = old.wait
	}
	return f
}
