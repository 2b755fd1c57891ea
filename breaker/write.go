package breaker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

var errOvertaken = errors.New("another program keeps changing the file")

// mostBytes bounds what is read: a state has about one kilobyte.
const mostBytes = 4 << 20

// readRegular reads a file, but nothing that could block or never end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if len(data) > mostBytes {
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("too large for a state")}
	}
	return data, err
}

// lockFile takes the lock, waiting in the kernel's queue: it is fair, and costs
// nothing while it takes long. After the timeout the wait is given up, and a
// lock that comes later is let go at once.
func lockFile(ctx context.Context, path string, timeout time.Duration) (*flock.Flock, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetPermissions(0o666))
	if ok, err := l.TryLock(); ok || err != nil {
		return l, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- l.Lock() }()
	select {
	case err := <-done:
		return l, err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				l.Unlock()
			}
		}()
		return nil, fmt.Errorf("wait for %s: %w", path, ctx.Err())
	}
}

// write replaces the file that was loaded, unless somebody else has done so.
//
// The order: a copy into the lock file, from which a later reader recovers; the
// whole new file beside the old one, on disk; the last look at the old one; the
// replacement.
func (s *FileStore) write(l loaded, data []byte) error {
	if l.path == followLink(s.path) {
		rememberWritten(l.path, data)
	}
	temp := l.path + ".tmp"
	if err := writeTemp(temp, l.path, data); err != nil {
		os.Remove(temp)
		return &StoreError{Op: "write", Err: err}
	}
	defer os.Remove(temp)
	if !sameContent(l.path, l.data) {
		return errOvertaken
	}
	err := swap(temp, l.path, data, l.data)
	if errors.Is(err, errors.ErrUnsupported) {
		err = replace(temp, l.path)
	}
	if isBusy(err) {
		err = writeInPlace(l.path, data)
	}
	if err != nil && !errors.Is(err, errOvertaken) {
		return &StoreError{Op: "write", Err: err}
	}
	return err
}

// swap lets two files change places, and looks at the one that came out: if it
// is not what was expected there, somebody edited it in the last microseconds,
// and it is put back. The new one holds put.
func swap(temp, path string, put, expected []byte) error {
	if expected == nil {
		return errors.ErrUnsupported // there is nothing to change places with
	}
	var overtaken error
	for {
		if err := exchange(temp, path); err != nil {
			return err
		}
		was, err := readRegular(temp)
		if err != nil {
			return err
		}
		if bytes.Equal(was, expected) {
			return overtaken
		}
		put, expected, overtaken = was, put, errOvertaken
	}
}

// writeTemp writes a new file with the mode and owner of an old one.
func writeTemp(temp, old string, data []byte) error {
	os.Remove(temp) // left by a process that was killed
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if info, err := os.Stat(old); err == nil {
		keepOwner(f, info)
		if err := f.Chmod(info.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// writeInPlace overwrites a file that cannot be replaced, such as one that is
// mounted on its own.
func writeInPlace(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// rememberWritten keeps a copy in the lock file. It is needed only where another
// program overwrites the state, or damages it, so that it may fail.
func rememberWritten(path string, data []byte) {
	if f, err := os.OpenFile(lockPath(path), os.O_WRONLY, 0); err == nil {
		defer f.Close()
		if _, err := f.WriteAt(data, 0); err == nil {
			f.Truncate(int64(len(data)))
		}
	}
}

// lastWritten returns the document we wrote last, or nil.
func lastWritten(path string) *Document {
	data, err := readRegular(lockPath(path))
	if err != nil || len(data) == 0 {
		return nil
	}
	d, err := Decode(data)
	if err != nil || d.fresh || d.squadWatch {
		return nil
	}
	return d
}

// keepAside saves the contents of a corrupt file, once, and says where.
func keepAside(path string, data []byte, now time.Time) (string, error) {
	kept, _ := filepath.Glob(escapeGlob(path) + ".corrupt-*")
	for _, k := range kept {
		if sameContent(k, data) {
			return k, nil
		}
	}
	aside := path + ".corrupt-" + now.Format("20060102T150405.000Z")
	return aside, os.WriteFile(aside, data, 0o600)
}

func escapeGlob(path string) string {
	var b []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			if os.PathSeparator != '\\' {
				b = append(b, '\\')
			}
		}
		b = append(b, path[i])
	}
	return string(b)
}
