//go:build unix

package supervisor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// readWhenReady reads from a descriptor that others share, without making it
// non-blocking, as soon as there is something. It fails with errWoken once
// wake's other side is closed.
func readWhenReady(f *os.File, p []byte, wake int) (int, error) {
	fd := descriptor(f)
	for {
		if !waitFor(fd, unix.POLLIN, wake) {
			return 0, errWoken
		}
		n, err := unix.Read(fd, p)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		return max(n, 0), err
	}
}

// stdinPlace is where a seekable stdin stood at the first start, or -1.
func stdinPlace(f *os.File) int64 {
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return -1
	}
	place, err := unix.Seek(descriptor(f), 0, unix.SEEK_CUR)
	if err != nil {
		return -1
	}
	return place
}
