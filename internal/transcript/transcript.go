// Package transcript reads the corpus of runs in testdata/transcripts: what an
// AI coding CLI printed, how it ended, and what the detector has to say of it.
//
// It only reads and checks the form of the cases. It knows nothing of how a
// limit is found, so that the corpus stays a test of the detector and not of
// its own rules.
package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Case is one run and the verdict it deserves.
type Case struct {
	Name    string // of the file, without its extension
	Client  string // base name of the command, "other", or "" for unknown
	Exit    Exit
	Verdict string // none, limit, overloaded or unavailable
	Scope   string // model, account, session or weekly; unknown = the text does not say, not to be compared

	// What the text states of when the limit ends: at most one of RetryAfter
	// and Reset. All zero means that it states nothing, AnyTime that it states
	// something that may be read in more than one way.
	RetryAfter time.Duration
	Reset      time.Time
	AnyTime    bool

	Now  time.Time      // when the run ended
	Zone *time.Location // of clock times that name none
	Kind string         // what makes the case worth having, such as "prose"
	Note string         // why it is what it is

	Pieces []Piece           // the output in the order it came
	Files  map[string][]byte // the same by stream, each joined
}

// An Exit is how the run ended.
type Exit struct {
	Code    int  // 0–255; 128+n after signal n
	Unknown bool // a saved transcript without a status, or a child that never ended
}

// A Piece is a part of one stream's output.
type Piece struct {
	Stream string // stdout, stderr, terminal or log
	Data   []byte
}

// Load reads every case of a folder, in the order of their names. A folder
// without a case is an error.
func Load(dir string) ([]Case, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("list transcripts: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("list transcripts: %s has none", dir)
	}
	var cases []Case
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		c, err := Parse(strings.TrimSuffix(filepath.Base(path), ".txtar"), data)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Parse reads one case: a comment of "key: value" lines, then the output.
//
// A file named for its stream holds text as it is. A name that ends in .q holds
// Go string literals, one a line, which are joined: so a case can hold escape
// sequences, carriage returns and a last line without an end. A stream may come
// more than once, where the order between streams matters.
func Parse(name string, data []byte) (Case, error) {
	a := txtar.Parse(data)
	c := Case{Name: name, Files: make(map[string][]byte)}
	if err := c.readHeader(string(a.Comment)); err != nil {
		return Case{}, fmt.Errorf("parse transcript %s: %w", name, err)
	}
	for _, f := range a.Files {
		p, err := newPiece(f)
		if err != nil {
			return Case{}, fmt.Errorf("parse transcript %s: %w", name, err)
		}
		c.Pieces = append(c.Pieces, p)
		c.Files[p.Stream] = append(c.Files[p.Stream], p.Data...)
	}
	if len(c.Pieces) == 0 {
		return Case{}, fmt.Errorf("parse transcript %s: no output", name)
	}
	return c, nil
}
