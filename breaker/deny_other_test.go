//go:build !linux

package breaker_test

import "errors"

// deny can make system calls fail on Linux only.
func deny(spec string) error {
	if spec == "" {
		return nil
	}
	return errors.ErrUnsupported
}
