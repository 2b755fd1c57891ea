package redisstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/ralph-run/ralph-run/breaker"
)

// maxSpool bounds a spool in bytes. At that size its older half is dropped: the
// older a report is, the less is it worth.
const maxSpool = 1 << 20

// A letter is one report or one record that waits for the server.
type letter struct {
	At     time.Time       `json:"at"` // by this machine's clock
	Report *lateReport     `json:"report,omitempty"`
	Record json.RawMessage `json:"record,omitempty"`
}

// A lateReport is what counts of a report that comes late: which model is
// limited until when, and whose lease is to be given back.
type lateReport struct {
	Attempt string        `json:"attempt"`
	Circuit string        `json:"circuit"`
	Model   string        `json:"model"`
	Role    breaker.Role  `json:"role"`
	Kind    breaker.Kind  `json:"kind"`
	Scope   breaker.Scope `json:"scope,omitempty"`
	Until   time.Time     `json:"until,omitzero"` // by the server's clock
}

// lateGeneration is the generation of every late report. No circuit ever has it,
// so that a late report can neither open nor close one, nor move its index; and
// it may be sent twice.
const lateGeneration = -1

func newLateReport(a breaker.Attempt, o breaker.Outcome) *lateReport {
	return &lateReport{Attempt: a.ID, Circuit: a.Circuit, Model: a.Model, Role: a.Role,
		Kind: o.Kind, Scope: o.Scope, Until: o.Until}
}

// apply reports it to the document.
func (r *lateReport) apply(d *breaker.Document, now time.Time) {
	a := breaker.Attempt{ID: r.Attempt, Circuit: r.Circuit, Model: r.Model, Role: r.Role, Generation: lateGeneration}
	d.Report(breaker.Options{}, a, breaker.Outcome{Kind: r.Kind, Scope: r.Scope, Until: r.Until}, now)
}

// A spool keeps letters in order for all processes of this machine that use the
// same folder. They are added to one file; whoever sends takes that file away
// first, so that nothing is locked while something is sent.
type spool struct{ path string }

func (s spool) sending() string { return s.path + ".sending" }

// add appends a letter.
func (s spool) add(ctx context.Context, l letter) error {
	line, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	defer f.Close()
	// The newline before it ends a line that a full disk has cut.
	if _, err := fmt.Fprintf(f, "\n%s\n", line); err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > maxSpool {
		return s.halve()
	}
	return nil
}

// halve drops the older half. The lock is held.
func (s spool) halve() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("shorten spool: %w", err)
	}
	data = data[len(data)/2:]
	if err := os.WriteFile(s.path, data[bytes.IndexByte(data, '\n')+1:], 0o600); err != nil {
		return fmt.Errorf("shorten spool: %w", err)
	}
	return nil
}

// empty reports, without a lock, that there is nothing to send.
func (s spool) empty() bool {
	for _, path := range []string{s.path, s.sending()} {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return false
		}
	}
	return true
}

// send hands the letters to do, in order, and removes them if it succeeds. One
// process at a time sends; the others leave it to that one. After a crash
// between sending and removing they are sent again.
func (s spool) send(ctx context.Context, do func([]letter) error) error {
	if s.empty() {
		return nil
	}
	sender := flock.New(s.path + ".send.lock")
	if ok, err := sender.TryLock(); err != nil || !ok {
		return nil
	}
	defer sender.Close()
	// What was taken and not sent is older than what is there now.
	for range 2 {
		if err := s.take(ctx); err != nil {
			return err
		}
		letters, err := readLetters(s.sending())
		if err != nil {
			return err
		}
		if len(letters) > 0 {
			if err := do(letters); err != nil {
				return err
			}
		}
		if err := os.Remove(s.sending()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty spool: %w", err)
		}
	}
	return nil
}

// take moves the spool to where it is sent from, unless something is there.
func (s spool) take(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(s.sending()); err == nil {
		return nil
	}
	if err := os.Rename(s.path, s.sending()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take spool: %w", err)
	}
	return nil
}

func readLetters(path string) ([]letter, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read spool: %w", err)
	}
	var letters []letter
	for line := range bytes.Lines(data) {
		var l letter
		if json.Unmarshal(line, &l) == nil {
			letters = append(letters, l)
		}
	}
	return letters, nil
}

// lock takes the lock that is held to add and to take, for an instant each.
func (s spool) lock(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l := flock.New(s.path + ".lock")
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock spool: %w", err)
	}
	return func() { l.Close() }, nil
}
