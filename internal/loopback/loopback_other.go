//go:build !linux

package loopback

import (
	"errors"
	"fmt"
	"runtime"
)

// Enter fails: only Linux has network namespaces.
func Enter() (inside bool, status int, err error) {
	return false, 0, fmt.Errorf("make a network namespace on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
