package detect

import "strings"

// This file knows errors of other services than a model's.

// tools are commands that call no model themselves: a package index, a registry
// or a cloud limits them in the very words that a provider uses, and no other
// model helps against it. Of them only an error counts that names a provider.
//
// true stands for those that may carry an agent, in a container or as a script:
// what that prints of its user's limit counts as well.
var tools = map[string]bool{
	"docker": true, "docker-compose": true, "podman": true, "nerdctl": true, "kubectl": true, "gh": true,
	"npm": true, "npx": true, "pnpm": true, "yarn": true, "bun": true, "bunx": true, "uvx": true, "make": true, "just": true, "task": true,

	"pip": false, "pip3": false, "pipx": false, "uv": false, "poetry": false, "conda": false, "mamba": false,
	"brew": false, "apt": false, "apt-get": false, "dnf": false, "apk": false, "snap": false, "nix": false,
	"cargo": false, "rustup": false, "go": false, "gradle": false, "mvn": false, "sbt": false, "gem": false, "bundle": false, "composer": false, "nuget": false, "dotnet": false,
	"git": false, "git-lfs": false, "svn": false, "hg": false, "glab": false, "hub": false,
	"curl": false, "wget": false, "http": false, "https": false, "ssh": false, "scp": false, "rsync": false, "rclone": false,
	"aws": false, "gcloud": false, "gsutil": false, "bq": false, "az": false, "doctl": false, "flyctl": false, "fly": false, "heroku": false, "vercel": false, "netlify": false, "wrangler": false, "firebase": false, "supabase": false, "railway": false,
	"terraform": false, "tofu": false, "terragrunt": false, "pulumi": false, "ansible": false, "ansible-playbook": false, "helm": false, "skopeo": false, "crane": false, "cosign": false,
	"certbot": false, "snyk": false, "trivy": false, "codecov": false, "sentry-cli": false, "slack": false, "stripe": false, "twilio": false,
	"nginx": false, "postgres": false, "psql": false, "mysql": false, "redis-cli": false, "mongosh": false, "k6": false, "ab": false, "wrk": false, "hey": false, "journalctl": false,
}

var (
	// fromProvider is an error that only the call of a model gives.
	fromProvider = lazy(`generativelanguage|aiplatform|cloudcode-pa|bedrock|invokemodel|\bconverse|api\.(?:openai|anthropic|mistral|deepseek|groq|x)\.(?:com|ai)|openrouter\.ai|\b(?:openai|anthropic|litellm|groq|mistralai|cohere)\.[\w.]*(?:error|exception)|rate_limit_error|insufficient_quota|usage_limit_reached|chat/completions|/v1/(?:messages|responses)|models\.(?:github|inference)\.ai|userbymodelby`)
	// ownNotice is what an agent says of the limit of its user.
	ownNotice = lazy(`\b(?:you(?:'ve| have)) (?:hit|reached|exceeded|used|exhausted) (?:all of )?your (?:[\w-]+ ){0,3}(?:limit|quota|credits|allowance)|\b(?:claude|codex|copilot|gemini|opus|sonnet|session|weekly|5-hour) (?:[\w-]+ ){0,2}limit reached`)
)

// ofTool says why a finding of a command that calls no model is none, or "".
func (d *Detector) ofTool(f *finding) string {
	if f.name == "github-api" && !knownClients[d.client] && d.client != "github" {
		return "GitHub's limit, and no model's"
	}
	carries, known := tools[d.client]
	if !known || f.verdict == None {
		return ""
	}
	low := strings.ToLower(f.text)
	if fromProvider().MatchString(low) || carries && (f.kind == structured || ownNotice().MatchString(low)) {
		return ""
	}
	return "this command calls no model"
}

var (
	// operation is what a client of a cloud was asked to do, and host what it
	// asked. A few of them are calls of a model.
	operation = lazy(`when calling the (\w+) operation|operation error ([\w ]+?):|\b([\w-]+)\.googleapis\.com`)
	ofModel   = lazy(`converse|invoke|bedrock|generat|completion|model|embed|agent|codewhisperer|aiplatform|cloudaicompanion|cloudcode|discoveryengine|\bai\b|\btype\b`)
	// address is what could not be fetched.
	address = lazy(`(?:for url:?|while getting|from|download\w*(?: from)?|fetch\w*|get|post|put|request to|calling|retrieve) ["'` + "`" + `(]{0,2}(https?://\S+)`)
	failing = lazy(`error|fail|exception|could not|unable`)
	// hub are the files of models, not the models.
	hub = lazy(`//huggingface\.co/(?:api/(?:models|datasets|spaces|whoami|resolve)|datasets)/|//[\w.-]+/\S*/(?:resolve|raw)/(?:main|[0-9a-f]{40})/`)
)

// elsewhere reports that folded text names another service than a model's as
// the one that failed: by what was asked of it, or by its address.
func elsewhere(folded string) bool {
	if g := operation().FindStringSubmatch(folded); g != nil && !ofModel().MatchString(g[1]+g[2]+" "+g[3]) {
		return true
	}
	for _, g := range address().FindAllStringSubmatch(folded, 4) {
		if hub().MatchString(g[1]) || otherService().MatchString(g[1]) && !strings.Contains(g[1], "huggingface") {
			return true
		}
	}
	return false
}

// blamed reports that an error above the row k before the latest, or the class of
// its own, is another service's.
func (r *run) blamed(id Stream, k int) bool {
	if knownClients[r.d.client] {
		return false // prints its own errors below those of its tools
	}
	s := &r.streams[id]
	for n := k + 1; n <= k+6; n++ {
		b := s.back(n)
		if len(b) == 0 {
			continue
		}
		if r.d.blames(r.d.line(b).text) {
			return true
		}
	}
	return false
}

// blames reports that a text is another service's error.
func blames(text string) bool {
	low := fold(text)
	return failing().MatchString(low) && (elsewhere(low) || otherService().MatchString(low[:classLen(low)]))
}

// classLen is the length of the class that an error begins with.
func classLen(low string) int {
	if i := strings.IndexAny(low, ": "); i >= 0 {
		return i
	}
	return 0
}

// knownClients are the clients of a model that rules are made for.
var knownClients = set("copilot claude codex gemini opencode aider amp cursor-agent kimi goose qwen crush cline")
