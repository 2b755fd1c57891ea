package breaker

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// replace renames a new file over an old one. A reader that has the old one open
// is in the way, for a moment.
func replace(temp, path string) error {
	var err error
	for delay := time.Millisecond; delay < 300*time.Millisecond; delay *= 2 {
		if err = os.Rename(temp, path); !isBusy(err) {
			return err
		}
		time.Sleep(delay)
	}
	return err
}

// isBusy reports a file that cannot be replaced, only overwritten.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// keepOwner does nothing: a new file gets its owner from the folder.
func keepOwner(*os.File, fs.FileInfo) {}
