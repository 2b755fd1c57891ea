package transcript

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const corpus = "../../testdata/transcripts"

// kinds are the kinds of cases that each verdict may have.
var kinds = map[string][]string{
	"limit": {
		"final",             // the program gives up and says so
		"after_work",        // it did some work before
		"retries_exhausted", // it tried again by itself, and then gave up
		"hung",              // it says so and never ends by itself
		"dialog",            // it asks a person what to do
		"structured",        // events or an error object in JSON
		"exit_code",         // ends with a status that means a limit
	},
	"overloaded":  {"final", "after_work", "retries_exhausted", "structured"},
	"unavailable": {"final", "after_work", "structured"},
	"none": {
		"prose", "translated_prose", "markdown", "code", "code_diff", "quoted_banner", "echoed_prompt",
		"tool_result", "grep", "app_log", "other_supervisor_log", "github_api", "package_name",
		"test_name", "failing_tests", "line_number", "number", "id",
		"near_limit_warning", "usage_footer", "survived", "subagent", "success",
		"disk_quota", "other_limit", "context_window", "auth", "server_error", "network",
		"compile_error", "bad_request", "config_error", "interrupted", "crash",
	},
}

var clients = []string{"", "aider", "amp", "claude", "codex", "copilot", "cursor-agent", "gemini", "kimi", "opencode", "other"}

// load returns the corpus.
func load(t *testing.T) []Case {
	t.Helper()
	cases, err := Load(corpus)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestCorpusSize holds the corpus to the size that makes its numbers mean
// something. Recorded runs do not count: they are what the rules were made from.
func TestCorpusSize(t *testing.T) {
	want := map[string]int{"none": 250, "limit": 150, "overloaded": 25, "unavailable": 15}
	got := make(map[string]int)
	for _, c := range load(t) {
		if !strings.HasPrefix(c.Name, "recorded-") {
			got[c.Verdict]++
		}
	}
	for verdict, n := range want {
		if got[verdict] < n {
			t.Errorf("%d cases with verdict %s, want at least %d", got[verdict], verdict, n)
		}
	}
}

func TestCorpusForm(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			if !slices.Contains(kinds[c.Verdict], c.Kind) {
				t.Errorf("kind %q is none of a case with verdict %s", c.Kind, c.Verdict)
			}
			if !slices.Contains(clients, c.Client) {
				t.Errorf("client %q is unknown", c.Client)
			}
			if c.Note == "" {
				t.Error("the note is empty")
			}
			checkScope(t, c)
			checkTimes(t, c)
		})
	}
}

func checkScope(t *testing.T, c Case) {
	t.Helper()
	if (c.Verdict == "limit") != (c.Scope != "") {
		t.Errorf("scope is %q with verdict %s: want one for a limit, and only for a limit", c.Scope, c.Verdict)
	}
}

func checkTimes(t *testing.T, c Case) {
	t.Helper()
	stated := c.RetryAfter > 0 || !c.Reset.IsZero() || c.AnyTime
	if stated && c.Verdict != "limit" && c.Verdict != "overloaded" {
		t.Errorf("a time is stated with verdict %s", c.Verdict)
	}
	if !c.Reset.IsZero() && !c.Reset.After(c.Now) {
		t.Errorf("reset %v is not after now %v", c.Reset, c.Now)
	}
}

func TestCorpusHasNoDuplicates(t *testing.T) {
	seen := make(map[string]string)
	for _, c := range load(t) {
		key := fmt.Sprintf("%v %q", c.Exit, c.Pieces)
		if first, ok := seen[key]; ok {
			t.Errorf("%s and %s are the same run", first, c.Name)
		}
		seen[key] = c.Name
	}
}

// secrets finds what must never stand in a public file: keys and tokens of the
// usual services, and the home folder of a real person.
var secrets = []struct {
	name  string
	signs []string // one of them must be there before the slower re is tried
	re    *regexp.Regexp
}{
	{"GitHub token", []string{"gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"}, regexp.MustCompile(`\bgh[oprsu]_[A-Za-z0-9]{16}|github_pat_\w{16}`)},
	{"API key", []string{"sk-", "rk-", "pk-"}, regexp.MustCompile(`\b(sk|rk|pk)-[\w-]{20}`)},
	{"AWS key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\bA[KS]IA[0-9A-Z]{16}\b`)},
	{"Google key", []string{"AIza", "ya29."}, regexp.MustCompile(`\bAIza[\w-]{30}|\bya29\.[\w-]{20}`)},
	{"Slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abprs]-\w{8}`)},
	{"JWT", []string{"eyJ"}, regexp.MustCompile(`\beyJ[\w-]{12,}\.[\w-]{12,}`)},
	{"private key", []string{"PRIVATE KEY"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	{"home folder", []string{"/home/", "/Users/", `\Users\`}, regexp.MustCompile(`(?:/home|/Users)/[\w.-]+|C:\\+Users\\+\w+`)},
	{"mail address", []string{"@"}, regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+\b`)},
	{"address", []string{"."}, regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b`)},
}

// harmless are the only matches of secrets that may stand in the corpus: made-up
// people, and what is reserved for examples.
var harmless = regexp.MustCompile(`^(?:/home/(?:user|dev|runner|agent)|/Users/dev|git@github\.com|[\w.+-]+@example\.(?:com|org)` +
	`|127\.0\.0\.1|0\.0\.0\.0|10(?:\.\d+){3}|192\.0\.2\.\d+|198\.51\.100\.\d+|203\.0\.113\.\d+)$`)

func TestCorpusHasNoSecrets(t *testing.T) {
	for _, c := range load(t) {
		for stream, data := range c.Files {
			for _, m := range findSecrets(string(data)) {
				t.Errorf("%s: %s: looks like a %s", c.Name, stream, m)
			}
		}
	}
}

// findSecrets returns what in s must not be there, each with its name.
func findSecrets(s string) (found []string) {
	for _, secret := range secrets {
		has := func(sign string) bool { return strings.Contains(s, sign) }
		if !slices.ContainsFunc(secret.signs, has) {
			continue
		}
		for _, m := range secret.re.FindAllString(s, -1) {
			if !harmless.MatchString(m) {
				found = append(found, secret.name+": "+m)
			}
		}
	}
	return found
}

// TestFindSecrets shows that the search of TestCorpusHasNoSecrets can fail. The
// samples are put together here so that none stands in the file.
func TestFindSecrets(t *testing.T) {
	x := strings.Repeat("0aB", 12)
	for _, s := range []string{
		"gh" + "p_" + x, "github" + "_pat_" + x, "s" + "k-" + x, "AK" + "IA" + strings.Repeat("A0", 8),
		"AI" + "za" + x, "xo" + "xb-" + x, "ey" + "J" + x + "." + x, "-----BEGIN RSA " + "PRIVATE KEY",
		"/home/" + "alice", `C:\Users\` + "alice", "alice" + "@mail.test", "8.8" + ".8.8",
	} {
		if len(findSecrets("text "+s+" text")) == 0 {
			t.Errorf("findSecrets(%q) finds nothing", s)
		}
	}
	if got := findSecrets("/home/user git@github.com user@example.com 127.0.0.1 10.0.0.7"); got != nil {
		t.Errorf("findSecrets of harmless text = %q, want nothing", got)
	}
}

func TestCorpusNames(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name, ok := strings.CutSuffix(filepath.Base(path), ".txtar")
		if !ok && name != "README.md" {
			t.Errorf("%s is no transcript", path)
		}
	}
}
