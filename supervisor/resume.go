package supervisor

import (
	"slices"
	"strings"

	"github.com/ralph-run/ralph-run/detect"
)

// Resuming returns the command line that goes on with session id, or c itself
// where that is not possible: the CLI is none whose way to resume is known, or
// the user chose a session already. The option carries its value with it and
// stands right after the command's name, so that no option before it can take
// it for its own value.
func (c CommandLine) Resuming(id string) CommandLine {
	if !c.CanResume() || !isSessionID(id) {
		return c
	}
	return ParseCommand(slices.Insert(slices.Clone(c.argv), c.at+1, "--resume="+id))
}

// CanResume reports whether [CommandLine.Resuming] has an effect.
func (c CommandLine) CanResume() bool { return c.name == "copilot" && !c.ChoosesSession() }

// ChoosesSession reports that the user's own options say which session to use.
func (c CommandLine) ChoosesSession() bool {
	for i, w := range c.words {
		if w.kind != plain {
			continue
		}
		name, _, _ := strings.Cut(c.argv[c.at+1+i], "=")
		if slices.Contains(c.spec.resume, name) {
			return true
		}
	}
	return false
}

// isSessionID reports an id that is safe to put on a command line: it came out
// of a child's output.
func isSessionID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-'
	}) < 0 && id[0] != '-'
}

// A progress is what the limited runs of one invocation left behind: whether
// they did work that must not be done twice, and the session it is in.
type progress struct {
	worked  bool
	session string
}

// add notes what one run left behind. A later run resumed the earlier session
// or began a new one; either way its own id is the one to go on with, but only
// if there is work in it.
func (p *progress) add(v detect.Verdict) {
	if !v.DidWork {
		return
	}
	p.worked = true
	if v.SessionID != "" {
		p.session = v.SessionID
	}
}

// next returns the command for the next attempt and, if work will be done
// twice, why. The user's own command is the argument every time, so that options
// of ours never pile up.
func (p *progress) next(user CommandLine, resume bool) (next CommandLine, twice string) {
	switch {
	case !p.worked || user.ChoosesSession():
		return user, ""
	case !resume:
		return user, "resuming is switched off"
	case !user.CanResume():
		return user, "its session cannot be resumed"
	case !isSessionID(p.session):
		return user, "its session is not known"
	}
	return user.Resuming(p.session), ""
}
