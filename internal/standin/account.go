package standin

import (
	"maps"
	"net/http"
	"slices"
)

const login = "standin"

// serveAccount answers what a logged-in client asks first: who the user is,
// what the plan allows, and where the service lives.
func (s *Server) serveAccount(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, object{
		"login":           login,
		"copilot_plan":    "individual_pro",
		"access_type_sku": "plus_yearly_subscriber_quota",
		"chat_enabled":    true,
		"cli_enabled":     true,
		"is_mcp_enabled":  true,
		"endpoints":       object{"api": s.URL, "telemetry": s.URL, "proxy": s.URL},
		"quota_snapshots": object{},
	})
}

func (s *Server) serveModels(w http.ResponseWriter, _ *http.Request) {
	var list []object
	for _, id := range slices.Sorted(maps.Keys(s.models)) {
		list = append(list, offer(id))
	}
	writeJSON(w, http.StatusOK, object{"object": "list", "data": list})
}

func offer(id string) object {
	return object{
		"id": id, "name": id, "object": "model", "vendor": "standin", "version": id,
		"model_picker_enabled": true,
		"policy":               object{"state": "enabled"},
		"billing":              object{"is_premium": true, "multiplier": 1},
		"supported_endpoints":  []string{"/chat/completions"},
		"capabilities": object{
			"family": id, "type": "chat", "tokenizer": "o200k_base",
			"limits": object{
				"max_context_window_tokens": 128000,
				"max_prompt_tokens":         128000,
				"max_output_tokens":         16384,
			},
			"supports": object{"streaming": true, "tool_calls": true},
		},
	}
}
