package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// This file is what differs where the state is a fleet's.

// A fleet is a circuit that many machines share, in a server.
type fleet interface {
	circuit
	View(ctx context.Context) (d *breaker.Document, now time.Time, err error)
	Append(ctx context.Context, record []byte) error
	Records(ctx context.Context, since time.Time, most int) ([][]byte, error)
	Waiting() int
	Close() error
}

// close ends what an open state keeps open.
func (s *state) close() {
	if s.fleet != nil {
		s.fleet.Close()
	}
}

// view reads the state for a run, which a fleet's server that is away must not
// hold up.
func (s *state) view(ctx context.Context) (*breaker.Document, error) {
	if s.fleet == nil {
		d, _, err := s.store.View(ctx)
		return d, err
	}
	d, _, _ := s.fleet.View(ctx)
	return d, nil
}

// addRecord adds a record to this machine's, and to the fleet's.
func (s *state) addRecord(ctx context.Context, rec record) error {
	err := s.records.add(rec)
	if s.fleet == nil {
		return err
	}
	line, encodeErr := json.Marshal(rec)
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	return errors.Join(err, s.fleet.Append(ctx, line))
}

// mostRecords bounds what is read of a fleet's records: all that Redis keeps.
const mostRecords = 20_000

// eachRecord calls do with every record since a moment, oldest first, and
// returns where they were read: of the fleet's where there is one.
func (s *state) eachRecord(ctx context.Context, since time.Time, do func(*record)) (where string, bad int, err error) {
	if s.fleet == nil {
		bad, err = s.records.each(since, do)
		return s.records.path, bad, err
	}
	lines, err := s.fleet.Records(ctx, since, mostRecords)
	if err != nil {
		return s.place, 0, err
	}
	for _, line := range lines {
		var rec record
		switch {
		case json.Unmarshal(line, &rec) != nil || rec.Model == "":
			bad++
		case !rec.Time.Before(since):
			do(&rec)
		}
	}
	return s.place, bad, nil
}

// fleetFindings adds what doctor finds of a server that answers.
func (e *examination) fleetFindings(st *state, now time.Time) {
	if n := st.fleet.Waiting(); n > 0 {
		e.note("state", "nothing to do: the next run sends them", "%d reports and records of this machine wait for the server", n)
	}
	if off := time.Until(now).Abs(); off > time.Minute {
		e.note("clock", "set this machine's clock; for the circuit only the server's counts", "the server's clock is %s off this machine's", shortDuration(off))
	}
}

// stateFolder is the folder in which this machine keeps files for a place.
func stateFolder(place string) (string, error) {
	if !isFleet(place) {
		return filepath.Dir(place), nil
	}
	local, err := localPlace()
	return filepath.Dir(local), err
}
