package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
	"github.com/ralph-run/ralph-run/supervisor"
)

// addRecords is a process that adds numbered records: records FOLDER WRITER N.
func addRecords() {
	r := newRecorder(filepath.Join(os.Args[1], breaker.StateFile))
	var n int
	fmt.Sscan(os.Args[3], &n)
	for i := range n {
		rec := record{Time: time.Unix(int64(i), 0), Model: os.Args[2], Verdict: "none", Evidence: strings.Repeat("x", maxEvidence)}
		if err := r.add(rec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// TestRecordsManyWriters has processes write at once across a rotation: every
// line arrives once, whole, in its writer's order, and nothing but the file and
// the one before it is kept.
func TestRecordsManyWriters(t *testing.T) {
	const writers, each = 8, 40
	dir := t.TempDir()
	r := newRecorder(filepath.Join(dir, breaker.StateFile))
	filler := bytes.Repeat([]byte(`{"model":"filler"}`+"\n"), maxRecords/19)
	if err := os.WriteFile(r.path, filler[:len(filler)-19*40], 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			cmd := exec.Command("records", dir, fmt.Sprint("writer", w), fmt.Sprint(each))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v: %s", w, err, out)
			}
		})
	}
	all.Wait()
	next := map[string]int64{}
	bad, err := r.each(time.Time{}, func(rec *record) {
		if rec.Model == "filler" {
			return
		}
		if rec.Time.Unix() != next[rec.Model] {
			t.Errorf("%s: record %d comes where %d should", rec.Model, rec.Time.Unix(), next[rec.Model])
		}
		next[rec.Model] = rec.Time.Unix() + 1
	})
	if err != nil || bad != 0 {
		t.Errorf("each: %d bad lines, %v", bad, err)
	}
	for w := range writers {
		if n := next[fmt.Sprint("writer", w)]; n != each {
			t.Errorf("writer %d: %d records, want %d", w, n, each)
		}
	}
	checkRotated(t, r)
}

func checkRotated(t *testing.T, r recorder) {
	t.Helper()
	now, err := os.Stat(r.path)
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(r.old())
	if err != nil {
		t.Fatal("nothing was rotated: ", err)
	}
	if now.Size() >= maxRecords || old.Size() < maxRecords {
		t.Errorf("%d bytes after the rotation, %d put aside", now.Size(), old.Size())
	}
}

// TestRecordsAfterCrash adds to a file whose last line was cut.
func TestRecordsAfterCrash(t *testing.T) {
	r := newRecorder(filepath.Join(t.TempDir(), breaker.StateFile))
	if err := os.WriteFile(r.path, []byte(`{"model":"a"}`+"\n"+`{"model":"b`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.add(record{Model: "c"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	bad, err := r.each(time.Time{}, func(rec *record) { got = append(got, rec.Model) })
	if strings.Join(got, " ") != "a c" || bad != 1 || err != nil {
		t.Errorf("each: %v, %d bad, %v; want [a c], 1 bad", got, bad, err)
	}
}

// TestNewRecord plants a secret wherever a record could take one from but the
// evidence, which the detector has redacted, and looks at what is kept.
func TestNewRecord(t *testing.T) {
	const secret = "s3cr3t-prompt"
	os.Args = append(os.Args, secret)
	t.Setenv("RALPH_RUN_PLANTED", secret)
	rec := newRecord(supervisor.Record{
		Attempt: breaker.Attempt{ID: "h:1/x", Circuit: "m", Model: "m", Role: breaker.Probe, Why: secret},
		Verdict: detect.Verdict{
			Kind: detect.Limit, Scope: detect.ScopeModel, Rule: "rule", SessionID: secret,
			Evidence:   "429\x1b[31m " + strings.Repeat("é", 2*maxEvidence),
			RetryAfter: time.Minute, ResetAt: time.Unix(1000, 0),
		},
		Change:  breaker.Change{From: breaker.HalfOpen, To: breaker.Open},
		Exit:    supervisor.Exit{Signal: syscall.SIGTERM},
		Started: time.Unix(940, 0), Duration: 3 * time.Second, Bytes: 7,
		Waited: 5 * time.Second, Saved: 55 * time.Second, EndedBy: "patience",
	}, "copilot")
	line, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(line, []byte(secret)) {
		t.Errorf("the record holds the secret: %s", line)
	}
	if n := len([]rune(rec.Evidence)); n > maxEvidence || strings.Contains(rec.Evidence, "\x1b") {
		t.Errorf("evidence of %d runes: %q", n, rec.Evidence)
	}
	want := record{
		Time: time.Unix(940, 0).UTC(), PID: rec.PID, Host: rec.Host, Cwd: rec.Cwd, Attempt: "h:1/x", Client: "copilot",
		Model: "m", Role: "probe", Verdict: "limit", Scope: "model", ResetAt: "1970-01-01T00:16:40Z", Rule: "rule",
		Evidence: rec.Evidence, ExitStatus: 143, DurationMS: 3000, Bytes: 7,
		EndedBy: "patience", WaitedMS: 5000, SavedMS: 55000, From: "half-open", To: "open",
	}
	if rec != want {
		t.Errorf("newRecord = %+v\nwant %+v", rec, want)
	}
}

// TestRecordIsOneLine writes a record whose words hold line ends.
func TestRecordIsOneLine(t *testing.T) {
	r := newRecorder(filepath.Join(t.TempDir(), breaker.StateFile))
	if err := r.add(record{Model: "a\nb", Cwd: "x\r\ny", Evidence: "\u2028"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		lines++
	}
	if lines != 1 {
		t.Errorf("%d lines, want 1", lines)
	}
}
