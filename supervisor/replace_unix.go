//go:build unix

package supervisor

import (
	"errors"
	"syscall"
)

// Replace runs a command in place of this process, for one that is not run under
// a model (see [CommandLine.PassThrough]): nothing comes nearer to a prefix that is
// not there. It returns only if that fails, with a [*StartError], or where the
// system has no such thing, with [errors.ErrUnsupported].
func Replace(command, env []string) error {
	path, err := findCommand(command[0], pathOf(env))
	if err != nil {
		return err
	}
	keepIgnored()
	err = syscall.Exec(path, command, env)
	if errors.Is(err, syscall.ENOEXEC) && isText(path) {
		err = syscall.Exec("/bin/sh", append([]string{"sh", path}, command[1:]...), env)
	}
	return startError(command[0], err)
}
