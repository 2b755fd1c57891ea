//go:build unix

package breaker

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// replace renames a new file over an old one.
func replace(temp, path string) error { return os.Rename(temp, path) }

// isBusy reports a file that cannot be replaced, only overwritten.
func isBusy(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// keepOwner gives a new file the owner of the old one, if we may: run as root, we
// must not take the state away from its user.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		f.Chown(int(st.Uid), int(st.Gid))
	}
}
