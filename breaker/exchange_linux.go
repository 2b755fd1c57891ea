package breaker

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange lets two files change places in one step.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch err {
	case unix.ENOSYS, unix.EINVAL, unix.ENOENT, unix.EPERM:
		return errors.ErrUnsupported // by this kernel or file system
	}
	return err
}
