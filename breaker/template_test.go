package breaker_test

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// A template is the five PowerShell functions that the breaker replaces, line by
// line, over a file in memory: the faults too. Only the clock is an argument.
type template struct {
	file *cb // what is in the state file; nil = there is none
	now  time.Time
	zone *time.Location
}

// A cb is what ConvertFrom-Json makes of the file; other holds its further keys,
// which ConvertTo-Json saves again.
type cb struct {
	State                string
	PreferredModel       string
	FallbackChain        []string
	CurrentFallbackIndex int
	CooldownMinutes      float64
	OpenedAt             *string
	HalfOpenSuccesses    int
	ConsecutiveFailures  int
	Metrics              struct {
		TotalFallbacks, TotalRecoveries int
		LastFallbackAt, LastRecoveryAt  *string
	}
	other map[string]json.RawMessage
}

// fromJSON is Get-Content | ConvertFrom-Json.
func fromJSON(text string) *cb {
	if text == "" {
		return nil
	}
	var s cb
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic("the template cannot read this: " + err.Error())
	}
	if err := json.Unmarshal([]byte(text), &s.other); err != nil {
		panic(err)
	}
	return &s
}

// toJSON is ConvertTo-Json | Set-Content.
func (s *cb) toJSON() string {
	if s == nil {
		return ""
	}
	out := map[string]any{}
	for k, v := range s.other {
		out[k] = v
	}
	out["state"], out["preferredModel"], out["fallbackChain"] = s.State, s.PreferredModel, s.FallbackChain
	out["currentFallbackIndex"], out["cooldownMinutes"] = s.CurrentFallbackIndex, s.CooldownMinutes
	out["openedAt"], out["halfOpenSuccesses"] = s.OpenedAt, s.HalfOpenSuccesses
	out["consecutiveFailures"] = s.ConsecutiveFailures
	out["metrics"] = map[string]any{
		"totalFallbacks": s.Metrics.TotalFallbacks, "totalRecoveries": s.Metrics.TotalRecoveries,
		"lastFallbackAt": s.Metrics.LastFallbackAt, "lastRecoveryAt": s.Metrics.LastRecoveryAt,
	}
	b, err := json.MarshalIndent(out, "", "    ")
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(b), "\n", "\r\n") + "\r\n"
}

func (p *template) getCircuitBreakerState() *cb {
	if p.file == nil {
		d := &cb{State: "closed", PreferredModel: "claude-sonnet-4.6",
			FallbackChain: []string{"gpt-5.4-mini", "gpt-5-mini", "gpt-4.1"}, CooldownMinutes: 10}
		p.saveCircuitBreakerState(d)
		return d
	}
	s := *p.file
	return &s
}

func (p *template) saveCircuitBreakerState(s *cb) {
	saved := *s
	p.file = &saved
}

// getDate is (Get-Date).ToString("o").
func (p *template) getDate() *string {
	s := p.now.In(p.zone).Format("2006-01-02T15:04:05.0000000-07:00")
	return &s
}

func (p *template) getCurrentModel() string {
	s := p.getCircuitBreakerState()
	switch s.State {
	case "closed":
		return s.PreferredModel
	case "open":
		if s.OpenedAt != nil && *s.OpenedAt != "" {
			opened, err := time.Parse(time.RFC3339Nano, *s.OpenedAt) // [DateTime]::Parse
			if err != nil {
				panic(err)
			}
			elapsed := p.now.Sub(opened)
			if elapsed.Minutes() >= s.CooldownMinutes {
				s.State = "half-open"
				s.HalfOpenSuccesses = 0
				p.saveCircuitBreakerState(s)
				return s.PreferredModel
			}
		}
		idx := int(math.Min(float64(s.CurrentFallbackIndex), float64(len(s.FallbackChain)-1)))
		if len(s.FallbackChain) == 0 {
			return "" // $null
		}
		if idx < 0 {
			idx += len(s.FallbackChain) // [-1] is the last one
		}
		return s.FallbackChain[idx]
	case "half-open":
		return s.PreferredModel
	}
	return s.PreferredModel
}

func (p *template) updateCircuitBreakerOnSuccess() {
	s := p.getCircuitBreakerState()
	s.ConsecutiveFailures = 0
	if s.State == "half-open" {
		s.HalfOpenSuccesses++
		if s.HalfOpenSuccesses >= 2 {
			s.State = "closed"
			s.OpenedAt = nil
			s.HalfOpenSuccesses = 0
			s.CurrentFallbackIndex = 0
			s.Metrics.TotalRecoveries++
			s.Metrics.LastRecoveryAt = p.getDate()
			p.saveCircuitBreakerState(s)
			return
		}
		p.saveCircuitBreakerState(s)
		return
	}
	// closed state — nothing to do
}

func (p *template) updateCircuitBreakerOnRateLimit() {
	s := p.getCircuitBreakerState()
	s.ConsecutiveFailures++
	if s.State == "closed" || s.State == "half-open" {
		s.State = "open"
		s.OpenedAt = p.getDate()
		s.HalfOpenSuccesses = 0
		s.CurrentFallbackIndex = 0
		s.Metrics.TotalFallbacks++
		s.Metrics.LastFallbackAt = p.getDate()
		p.saveCircuitBreakerState(s)
		return
	}
	if s.State == "open" {
		if s.CurrentFallbackIndex < len(s.FallbackChain)-1 {
			s.CurrentFallbackIndex++
		}
		s.OpenedAt = p.getDate()
		p.saveCircuitBreakerState(s)
	}
}
