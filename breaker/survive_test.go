package breaker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// notices collects what a store tells a person.
func notices(s *breaker.FileStore) *[]breaker.Notice {
	var told []breaker.Notice
	s.Notify = func(n breaker.Notice) { told = append(told, n) }
	return &told
}

// use runs once: it acquires and reports a limit. It returns the attempt and the
// first error, which must be a StoreError.
func use(t *testing.T, c *breaker.Circuit, tried ...string) (breaker.Attempt, error) {
	t.Helper()
	a, err := c.Acquire(t.Context(), tried)
	if a.Model == "" {
		t.Fatalf("Acquire(%q) = %+v, %v, want a usable attempt", tried, a, err)
	}
	_, err2 := c.Report(t.Context(), a, breaker.Outcome{Kind: breaker.Limit})
	if err == nil {
		err = err2
	}
	var s *breaker.StoreError
	if err != nil && !errors.As(err, &s) {
		t.Errorf("%v is no StoreError", err)
	}
	return a, err
}

// TestUnusable: where the state cannot be kept, the run goes on with the
// preferred model, and in the same process with the fallbacks after a limit.
func TestUnusable(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   string
		make func(t *testing.T, path string)
	}{
		{"a folder in place of the file", "read", func(t *testing.T, path string) {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file in place of the folder", "read", func(t *testing.T, path string) {
			if err := os.WriteFile(filepath.Dir(path), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder in place of the lock", "lock", func(t *testing.T, path string) {
			if err := os.MkdirAll(path+".lock/x", 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder in place of the half-written file", "write", func(t *testing.T, path string) {
			if err := os.MkdirAll(path+".tmp/x", 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file that is far too large", "read", func(t *testing.T, path string) {
			writeState(t, path, "{}")
			if err := os.Truncate(path, 1<<30); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := statePath(t)
			tt.make(t, path)
			c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
			a, err := use(t, c)
			var s *breaker.StoreError
			if a.Model != sonnet || !errors.As(err, &s) || s.Op != tt.op {
				t.Errorf("Acquire() = %s, %v, want %s and an error of %q", a.Model, err, sonnet, tt.op)
			}
			if a, _ := use(t, c, sonnet); a.Model != mini5 && a.Model != "gpt-5.4-mini" {
				t.Errorf("after the limit in this process: %+v", a)
			}
		})
	}
}

func TestMissingFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", ".squad", breaker.StateFile)
	s := breaker.NewFileStore(path)
	if _, _, err := s.View(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("a look made the folder")
	}
	if _, err := use(t, breaker.NewCircuit(s, breaker.Options{})); err != nil {
		t.Error(err)
	}
	if d := readState(t, path); d.State != breaker.Open {
		t.Errorf("the state is %s", d.State)
	}
}

// TestCorrupt: a file that does not parse is kept aside once, and reported.
func TestCorrupt(t *testing.T) {
	path := statePath(t)
	for i, content := range []string{f1[:100], f1[:100], "garbage"} {
		writeState(t, path, content)
		s := breaker.NewFileStore(path)
		told := notices(s)
		a, err := use(t, breaker.NewCircuit(s, breaker.Options{}))
		if err != nil || a.Model == "" {
			t.Errorf("Acquire() = %+v, %v", a, err)
		}
		if len(*told) != 1 || !(*told)[0].Warning || !strings.Contains((*told)[0].Text, ".corrupt-") {
			t.Errorf("told: %v", *told)
		}
		kept, _ := filepath.Glob(path + ".corrupt-*")
		if want := []int{1, 1, 2}[i]; len(kept) != want {
			t.Errorf("kept %q, want %d files", kept, want)
		}
		if data, _ := os.ReadFile(kept[len(kept)-1]); string(data) != content {
			t.Errorf("kept %q, want %q", data, content)
		}
		readState(t, path)
	}
}

// TestCorruptAfterUs: what we wrote last is the state to go on with.
func TestCorruptAfterUs(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"preferredModel": "mine", "fallbackChain": ["other"], "note": 1}`)
	use(t, breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{}))
	writeState(t, path, "{")
	a, err := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{}).Acquire(t.Context(), nil)
	if err != nil || a.Model != "other" {
		t.Errorf("Acquire() = %+v, %v, want the fallback of the state before", a, err)
	}
}

// TestEmptyFile: an empty file is the default state, and is filled.
func TestEmptyFile(t *testing.T) {
	path := statePath(t)
	writeState(t, path, "")
	a, err := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{SeedPreferred: "seed"}).Acquire(t.Context(), nil)
	if err != nil || a.Model != "seed" || readState(t, path).PreferredModel != "seed" {
		t.Errorf("Acquire() = %+v, %v", a, err)
	}
}

// TestBeingReplaced: somebody who truncates the file and then writes it, again
// and again, is waited for.
func TestBeingReplaced(t *testing.T) {
	path := statePath(t)
	for _, half := range []string{"", f1[:200]} {
		writeState(t, path, half)
		s := breaker.NewFileStore(path)
		told := notices(s)
		done := make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			for {
				os.WriteFile(path, []byte(f1), 0o644)
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond):
				}
				os.WriteFile(path, []byte(half), 0o644)
			}
		})
		for range 20 {
			if d, _, err := s.View(t.Context()); err != nil || d.State != breaker.Open {
				t.Errorf("View() while %q is being replaced = %v, %v", half, d, err)
			}
		}
		close(done)
		writer.Wait()
		if len(*told) != 0 {
			t.Errorf("told %v", *told)
		}
	}
}

func TestSymlink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real", "state.json"), filepath.Join(dir, ".squad", breaker.StateFile)
	for _, d := range []string{filepath.Dir(target), filepath.Dir(link)} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../real/state.json", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for range 2 { // the target is missing at first
		if _, err := use(t, breaker.NewCircuit(breaker.NewFileStore(link), breaker.Options{})); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); err != nil || to != "../real/state.json" {
			t.Fatalf("the link was replaced: %q, %v", to, err)
		}
		readState(t, target)
	}
	// Both names lead to one lock.
	if _, err := os.Stat(target + ".lock"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(link, link); err != nil {
		t.Fatal(err)
	}
	if _, err := use(t, breaker.NewCircuit(breaker.NewFileStore(link), breaker.Options{})); err == nil {
		t.Error("a link to itself is no error")
	}
}

// TestLockTimeout: a lock that is held is waited for, but not for ever.
func TestLockTimeout(t *testing.T) {
	path := statePath(t)
	s := breaker.NewFileStore(path)
	s.LockTimeout = 20 * time.Millisecond
	held, release := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		breaker.NewFileStore(path).Update(t.Context(), func(*breaker.Document, time.Time) error {
			close(held)
			<-release
			return nil
		})
	})
	<-held
	_, err := use(t, breaker.NewCircuit(s, breaker.Options{}))
	var se *breaker.StoreError
	if !errors.As(err, &se) || se.Op != "lock" {
		t.Errorf("with the lock held: %v", err)
	}
	close(release)
	holder.Wait()
	s.LockTimeout = time.Minute
	if _, err := use(t, breaker.NewCircuit(s, breaker.Options{})); err != nil {
		t.Errorf("after the lock was let go: %v", err)
	}
}

// TestEdits: a person edits the file while runs go on, with an editor that puts a
// new file into its place. The edit wins and survives.
func TestEdits(t *testing.T) {
	path := statePath(t)
	writeState(t, path, `{"fallbackChain": ["last"]}`)
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
			for range 50 {
				if _, err := c.Record(t.Context(), "", breaker.Outcome{Kind: breaker.Limit}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { runs.Wait(); close(done) }()
	for edits := 0; ; edits++ {
		note := fmt.Sprintf(`"edit": %d`, edits)
		edit(t, path, note)
		select {
		case <-done:
			if data, _ := os.ReadFile(path); !strings.Contains(string(data), note) {
				t.Errorf("the last edit did not survive:\n%s", data)
			}
			t.Logf("%d edits", edits)
			return
		case <-time.After(5 * time.Millisecond): // between two edits
		}
		if data, _ := os.ReadFile(path); !strings.Contains(string(data), note) {
			t.Errorf("edit %d did not survive:\n%s", edits, data)
			<-done
			return
		}
	}
}

// edit changes the file as an editor does, without the lock.
func edit(t *testing.T, path, note string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	text := string(data)
	if i := strings.Index(text, `"edit"`); i >= 0 {
		text = text[:i] + note + text[i+strings.IndexAny(text[i:], ",\n"):]
	} else {
		text = strings.Replace(text, "{", "{"+note+",", 1)
	}
	if err := os.WriteFile(path+".edit", []byte(text), 0o644); err != nil {
		t.Error(err)
	}
	if err := os.Rename(path+".edit", path); err != nil {
		t.Error(err)
	}
}

// TestEditDuringRun: preferredModel, the chain and the cooldown can be edited
// between a run's start and its report.
func TestEditDuringRun(t *testing.T) {
	path := statePath(t)
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{})
	a, err := c.Acquire(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writeState(t, path, `{"preferredModel": "new", "fallbackChain": ["x", "y"], "cooldownMinutes": 3}`)
	ch, err := c.Report(t.Context(), a, breaker.Outcome{Kind: breaker.Limit})
	if err != nil || !ch.Stale {
		t.Errorf("Report() for the old model = %+v, %v", ch, err)
	}
	if a, err := c.Acquire(t.Context(), nil); err != nil || a.Model != "new" {
		t.Errorf("Acquire() = %+v, %v", a, err)
	} else if _, err := c.Report(t.Context(), a, breaker.Outcome{Kind: breaker.Limit}); err != nil {
		t.Error(err)
	}
	d := readState(t, path)
	if d.PreferredModel != "new" || !slices.Equal(d.FallbackChain, []string{"x", "y"}) || d.CooldownMinutes != 3 || d.State != breaker.Open {
		t.Errorf("after the edit:\n%s", d.Encode())
	}
}

// TestNothingWritten: where nothing changes, nothing is written.
func TestNothingWritten(t *testing.T) {
	path := statePath(t)
	writeState(t, path, crlf(f1)) // not as we would write it
	c := breaker.NewCircuit(breaker.NewFileStore(path), breaker.Options{Cooldown: 20 * 365 * 24 * time.Hour})
	for range 3 {
		a, err := c.Acquire(t.Context(), nil)
		if err != nil || a.Role != breaker.Fallback {
			t.Fatalf("Acquire() = %+v, %v", a, err)
		}
		if _, err := c.Report(t.Context(), a, breaker.Outcome{Kind: breaker.Success}); err != nil {
			t.Error(err)
		}
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if data, _ := os.ReadFile(path); string(data) != crlf(f1) || len(entries) != 1 {
		t.Errorf("something was written: %q, %v", data, entries)
	}
}
