package detect

import "bytes"

// This file knows where a notice stands that is none.

// failsOnLimit are clients that never end with 0 on a limit.
var failsOnLimit = set("claude codex opencode gemini cursor-agent amp kimi")

// wellOnErrors are clients that end with 0 on an error of the model.
var wellOnErrors = set("aider goose")

// aboutError is a line that leads to the error itself.
var aboutError = lazy(`(?i)error|fail|exception|could not|unable|reason:|cause:|message:|response:`)

// introduced reports that a sentence above the row k before the latest leads to
// it with a colon, as an answer does that quotes.
func (s *side) introduced(k int) bool {
	for n := k + 1; n < min(s.n, recentRows) && n < k+4; n++ {
		if b := bytes.TrimRight(s.back(n), " \r"); len(b) > 0 {
			return b[len(b)-1] == ':' && b[0] != ' ' && bytes.Count(b, []byte(" ")) >= 2 && !aboutError().Match(b)
		}
	}
	return false
}

// inHunk reports that the row k before the latest stands in a hunk of a diff,
// as the lines do that a diff leaves alone.
func (s *side) inHunk(k int) bool {
	for n := k; n < min(s.n, recentRows); n++ {
		b := s.back(n)
		switch {
		case len(b) > 3 && string(b[:3]) == "@@ ":
			return n > k
		case len(b) == 0 || b[0] != ' ' && b[0] != '+' && b[0] != '-':
			return false
		}
	}
	return false
}

// alone reports that nothing stands above the row k before the latest.
func (s *side) alone(k int) bool {
	for n := k + 1; n < s.n; n++ {
		if n >= recentRows || len(bytes.TrimSpace(s.back(n))) > 0 {
			return false
		}
	}
	return true
}

// errorsOnStderr are clients whose stdout is the model's.
var errorsOnStderr = set("copilot codex opencode gemini")
