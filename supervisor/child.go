package supervisor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A child is one run of the command.
type child struct {
	stage *stage
	relay *relay
	childSys

	finished chan struct{} // closed when end is set
	end      childEnd
}

// done is closed when the child has exited and its output has been drained.
func (c *child) done() <-chan struct{} { return c.finished }

// wait returns how it ended. The terminal is cooked again by then.
func (c *child) wait() childEnd {
	<-c.finished
	return c.end
}

var (
	errNotFound    = errors.New("command not found")
	errIsDirectory = errors.New("is a directory")
)

// findCommand finds name as execvp(3) does: a name with a slash is a path, any
// other is looked for in the folders of path. Unlike [exec.LookPath] it tells a
// file that may not be executed from one that is not there.
func findCommand(name, path string) (string, error) {
	if isPath(name) {
		file, err := executable(name)
		return file, startError(name, err)
	}
	err := error(errNotFound)
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if dir == "" || dir == "." {
			file = "." + string(filepath.Separator) + name
		}
		file, e := executable(file)
		if e == nil {
			return file, nil
		}
		if errors.Is(e, fs.ErrPermission) {
			err = e
		}
	}
	return "", startError(name, err)
}

// pathOf returns the PATH of an environment.
func pathOf(env []string) string {
	if path := Getenv(env, "PATH"); path != "" {
		return path
	}
	return os.Getenv("PATH")
}

// startError makes a StartError of err, or nil of nil.
func startError(name string, err error) error {
	if err == nil {
		return nil
	}
	status := 126
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the command is named already
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFound) {
		status = 127
	}
	return &StartError{Command: name, Status: status, Err: err}
}
