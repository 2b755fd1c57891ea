package supervisor

import (
	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// outcome turns what the detector found and how the child ended into what the
// breaker is told. Nothing else does.
//
// A person's or the host's interrupt says nothing about the model, and neither
// does a run in which another ralph-run decided; both only give a probe back.
func outcome(v detect.Verdict, end childEnd, nested bool) breaker.Outcome {
	switch {
	case end.interrupted != nil || nested:
		return breaker.Outcome{Kind: breaker.Failure}
	case v.Kind == detect.Limit:
		return breaker.Outcome{Kind: breaker.Limit, Scope: breaker.Scope(v.Scope), Until: v.ResetAt}
	case v.Kind == detect.Unavailable:
		return breaker.Outcome{Kind: breaker.Unavailable}
	case v.Kind == detect.None && end.Exit == Exit{} && !end.byUs:
		return breaker.Outcome{Kind: breaker.Success}
	}
	return breaker.Outcome{Kind: breaker.Failure}
}

// survived takes back a verdict that only the client's log speaks for, where the
// client then ended by itself and well: it went on after the refusal, or the
// refused request was one that the run did not need.
func survived(v detect.Verdict, end childEnd) detect.Verdict {
	if v.Kind == detect.None || v.Stream != detect.Log || end.Exit != (Exit{}) || end.byUs {
		return v
	}
	return detect.Verdict{Kind: detect.None, DidWork: v.DidWork, SessionID: v.SessionID}
}

// detectExit tells the detector how the child ended.
func detectExit(end childEnd) detect.Exit {
	e := detect.Exit{Code: end.Code, ByUs: end.byUs}
	if end.Signal != 0 {
		e.Code, e.Signaled = 128+int(end.Signal), true
	}
	return e
}

// falls reports a verdict after which the next model is tried.
func (c *Config) falls(v detect.Verdict) bool {
	switch v.Kind {
	case detect.Limit, detect.Unavailable:
		return true
	case detect.Overloaded:
		return c.AlsoOverloaded
	}
	return false
}
