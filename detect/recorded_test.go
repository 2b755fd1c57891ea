package detect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A recording is one run of a real client against a stand-in server.
type recording struct {
	Name, CLI, Case, Path, Mode string
	Exit                        *int
	Hung                        bool
	Files                       []string
}

const recordedDir = "../testdata/recorded"

func recordings(t testing.TB) (all []recording) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordedDir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A piece is some output of one stream.
type piece struct {
	stream Stream
	data   []byte
}

func (rec recording) pieces(t testing.TB) (all []piece) {
	t.Helper()
	for _, name := range rec.Files {
		b, err := os.ReadFile(filepath.Join(recordedDir, name))
		if err != nil {
			t.Fatal(err)
		}
		streams := map[string]Stream{".stdout": Stdout, ".stderr": Stderr, ".pty": Terminal, ".screen": Terminal}
		all = append(all, piece{streams[filepath.Ext(name)], b})
	}
	return all
}

func (rec recording) exit() Exit {
	if rec.Exit == nil {
		return Exit{Unknown: true}
	}
	return Exit{Code: *rec.Exit}
}

// recordedWant are the verdicts by the start of a case's name; the longest wins.
var recordedWant = map[string]Kind{
	"claude-an-overloaded": Overloaded, "claude-an-rate_limit": Limit, "claude-m404": Unavailable, "claude-ok": None,
	"codex-m429": Limit, "codex-m500": Overloaded, "codex-oa-insufficient_quota": Limit, "codex-ok": None,
	"gemini-ge-429": Limit, "gemini-m429": Limit, "gemini-ok": None,
	"opencode-m429": Limit, "opencode-m500": None, "opencode-oa-insufficient_quota": Limit, "opencode-ok": None,
	"copilot-429-": None, "copilot-an-overloaded": Overloaded, "copilot-capires-capi-1fail": Limit, "copilot-capires-capi-2cont": None,
	"copilot-connclosed": None, "copilot-cut": None, "copilot-gh-": Limit, "copilot-gh-model_overloaded": Overloaded,
	"copilot-m400": None, "copilot-m401": None, "copilot-m402": Limit, "copilot-m403": None, "copilot-m404": Unavailable,
	"copilot-m429": Limit, "copilot-m500": None, "copilot-m503": None, "copilot-ok": None,
	"copilot-ok-capi-notlisted": Unavailable, "copilot-ok-capi-unknown": Unavailable,
	// ended by the recorder while they sat in silent retries: nothing was printed
	"copilot-m429-ra120-": None, "copilot-m429-ra180-": None, "copilot-m429-ra90-": None, "copilot-m429-ra60-sigint": None, "copilot-m429-ra60-term": None,
	"copilot-q3": None, "copilot-q3-auto": Unavailable, "copilot-q3-unknown": Unavailable,
	"copilot-resume-": None, "copilot-resume-1fail": Limit, "copilot-resume-10logerr": Limit, "copilot-resume-5sid": Limit, "copilot-resume-9log": Limit,
	"copilot-stream-err": Limit, "copilot-talk": None, "copilot-tool-then-429": Limit,
}

func wantOf(name string) (want Kind) {
	best := -1
	for prefix, k := range recordedWant {
		if strings.HasPrefix(name, prefix) && len(prefix) > best {
			want, best = k, len(prefix)
		}
	}
	return want
}

var recordedNow = time.Date(2026, 11, 29, 19, 50, 0, 0, time.UTC)

func TestRecorded(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := wantOf(rec.Name)
			if want == "" {
				t.Fatal("no verdict is expected of this case")
			}
			got := feed(Options{Client: rec.CLI, Split: rec.Mode != "pty"}, rec.pieces(t), rec.exit())
			if got.Kind != want {
				t.Errorf("verdict %s by %q on %q, want %s", got.Kind, got.Rule, got.Evidence, want)
			}
		})
	}
}

func feed(o Options, pieces []piece, e Exit) Verdict { return feedKnown(nil, o, pieces, e) }

// feedKnown is feed with what was already found out about texts.
func feedKnown(texts *memo, o Options, pieces []piece, e Exit) Verdict {
	d := New(o)
	d.memo = texts
	for _, p := range pieces {
		d.Feed(p.stream, p.data)
	}
	return d.Close(e, recordedNow)
}
