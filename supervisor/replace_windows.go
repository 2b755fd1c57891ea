package supervisor

import "errors"

// Replace reports [errors.ErrUnsupported]: no process can take another's place.
func Replace(command, env []string) error { return errors.ErrUnsupported }
