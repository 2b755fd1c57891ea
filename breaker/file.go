package breaker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A FileStore keeps a [Document] in a file that people, the template's functions
// and older scripts read and write too. Its methods return a [*StoreError].
//
// Writers of ours take turns by a lock on a second file beside it, which is
// never removed. Each writes a whole new file and renames it into place, so that
// readers need no lock and a crash leaves the old or the new file.
type FileStore struct {
	LockTimeout time.Duration // how long to wait for the lock
	Notify      func(Notice)  // told what a person should know, each once; may be nil

	path string

	mu   sync.Mutex
	told map[Notice]bool
	last *Document // as it was read last from a file of ours
}

// A Notice is something about the state file that a person should know.
type Notice struct {
	Warning bool // something is wrong; otherwise it is for information
	Text    string
}

// NewFileStore returns a store that keeps the document in the file at path. The
// file and its folder are made when there is something to write.
func NewFileStore(path string) *FileStore {
	return &FileStore{LockTimeout: 5 * time.Second, path: path, told: map[Notice]bool{}}
}

// String returns the path of the file.
func (s *FileStore) String() string { return s.path }

// Active returns the path of the file that holds the circuit: another than the
// store's own while squad watch uses that one.
func (s *FileStore) Active(ctx context.Context) (string, error) {
	l, err := s.load(ctx, false)
	return l.path, err
}

// View returns the document as it is now.
func (s *FileStore) View(ctx context.Context) (*Document, time.Time, error) {
	l, err := s.load(ctx, false)
	return l.doc, storeTime(), err
}

// storeTime returns the time to the precision that the file keeps.
func storeTime() time.Time { return time.Now().UTC().Truncate(tick) }

// Update changes the document under the lock. A change by somebody who takes no
// lock is noticed up to the last moment, and then the whole step is done again.
func (s *FileStore) Update(ctx context.Context, change func(d *Document, now time.Time) error) error {
	path := followLink(s.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return &StoreError{Op: "write", Err: err}
	}
	lock, err := lockFile(ctx, lockPath(path), s.LockTimeout)
	if err != nil {
		return &StoreError{Op: "lock", Err: err}
	}
	defer lock.Unlock()
	for range 20 {
		l, err := s.load(ctx, true)
		if err != nil {
			return err
		}
		before := l.doc.Clone()
		if err := change(l.doc, storeTime()); err != nil || l.doc.Equal(before) {
			return err
		}
		err = s.write(l, l.doc.Encode())
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
	return &StoreError{Op: "write", Err: errOvertaken}
}

// A loaded is a document and where it is.
type loaded struct {
	path string // of the file, no symlink
	data []byte // of the file; nil if there is none
	doc  *Document
}

// load reads the file that holds the circuit. Only with the lock held does it
// put a corrupt file aside and go on; otherwise that is an error.
func (s *FileStore) load(ctx context.Context, locked bool) (loaded, error) {
	path := followLink(s.path)
	l, err := s.loadFile(ctx, path, locked)
	switch {
	case err != nil:
		return l, err
	case l.doc.squadWatch:
		return s.loadBeside(ctx, l, locked)
	case l.data == nil:
		if beside, err := s.loadFile(ctx, besidePath(path), locked); err == nil && beside.data != nil {
			return beside, nil
		}
		return l, nil
	}
	s.mu.Lock()
	s.last = l.doc.Clone()
	s.mu.Unlock()
	return l, nil
}

// loadBeside reads our file beside one that belongs to squad watch, which rolls
// back whatever another writer puts into its own.
func (s *FileStore) loadBeside(ctx context.Context, theirs loaded, locked bool) (loaded, error) {
	s.notify(false, "%s is written by squad watch: the circuit is kept in %s", s.path, besidePath(theirs.path))
	l, err := s.loadFile(ctx, besidePath(theirs.path), locked)
	if err != nil || l.data != nil {
		return l, err
	}
	ours := lastWritten(theirs.path)
	if ours == nil {
		s.mu.Lock()
		ours = s.last
		s.mu.Unlock()
	}
	l.doc = besideSquadWatch(theirs.doc, ours)
	return l, nil
}

// loadFile reads and decodes one file.
func (s *FileStore) loadFile(ctx context.Context, path string, locked bool) (loaded, error) {
	l := loaded{path: path, doc: Default()}
	doc, data, err := readState(path)
	if data == nil && err == nil {
		return l, nil
	}
	if err != nil || doc.fresh {
		doc, data, err = s.reload(ctx, path, locked)
	}
	var corrupt *CorruptError
	switch {
	case errors.As(err, &corrupt) && locked:
		l.data, l.doc = data, s.recover(path, data, corrupt)
	case errors.As(err, &corrupt):
		return l, &StoreError{Op: "decode", Err: corrupt.Err}
	case err != nil:
		return l, &StoreError{Op: "read", Err: err}
	case doc != nil:
		l.data, l.doc = data, doc
	}
	return l, nil
}

// reload reads a file again that was empty or could not be read: somebody who
// truncates it first may be writing it, or one of us who has to overwrite it in
// place. It waits until nobody has written to it for a while.
func (s *FileStore) reload(ctx context.Context, path string, locked bool) (doc *Document, data []byte, err error) {
	if !locked {
		if lock, err := lockFile(ctx, lockPath(followLink(s.path)), s.LockTimeout); err == nil {
			defer lock.Unlock()
		}
	}
	const pause, quiet = 20 * time.Millisecond, 200 * time.Millisecond
	for range quiet / pause {
		wait(ctx, pause)
		if doc, data, err = readState(path); err == nil && (doc == nil || !doc.fresh) {
			break
		}
		info, statErr := os.Stat(path)
		if statErr != nil || time.Since(info.ModTime()).Abs() > quiet {
			break
		}
	}
	return doc, data, err
}

// readState reads a file that is there; otherwise it returns nothing at all.
func readState(path string) (*Document, []byte, error) {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	doc, err := Decode(data)
	return doc, data, err
}

// recover keeps a corrupt file aside and returns the document to go on with: as
// we wrote it last, if that is known.
func (s *FileStore) recover(path string, data []byte, cause error) *Document {
	aside, err := keepAside(path, data, storeTime())
	if err != nil {
		aside = "nowhere (" + err.Error() + ")"
	}
	d, with := lastWritten(path), "as it was last written"
	if d != nil {
		d.chosen = true
	} else {
		d, with = Default(), "with the default state"
	}
	d.fresh = true
	s.notify(true, "%s is corrupt (%v): it is kept in %s, and the run goes on %s", path, cause, aside, with)
	return d
}

func (s *FileStore) notify(warning bool, format string, args ...any) {
	if s.Notify == nil {
		return
	}
	n := Notice{Warning: warning, Text: fmt.Sprintf(format, args...)}
	s.mu.Lock()
	told := s.told[n]
	s.told[n] = true
	s.mu.Unlock()
	if !told {
		s.Notify(n)
	}
}

func lockPath(path string) string { return path + ".lock" }

// besidePath is where our circuit is while path belongs to squad watch.
func besidePath(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".run" + ext
}

// followLink returns the file a path leads to, which need not exist: the file is
// replaced, and not the link to it.
func followLink(path string) string {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func sameContent(path string, data []byte) bool {
	now, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return data == nil
	}
	return err == nil && data != nil && bytes.Equal(now, data)
}
