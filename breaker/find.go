package breaker

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
)

// The state file's place below a project's or a user's own folder.
const (
	StateFolder = ".squad"
	StateFile   = "ralph-circuit-breaker.json"
)

// Find returns the state file for a working directory: the nearest one at or
// above it, up to the root of its repository or the user's home; if there is
// none, the one to create under the directory itself.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find state: %w", err)
	}
	home, _ := homeFolder()
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, StateFolder, StateFile)
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		}
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil || at == filepath.Clean(home) || at == filepath.Dir(at) {
			return filepath.Join(dir, StateFolder, StateFile), nil
		}
	}
}

// Shared returns the user's own state file, which all repositories of this user
// can share.
func Shared() (string, error) {
	home, err := homeFolder()
	if err != nil {
		return "", fmt.Errorf("find state: %w", err)
	}
	return filepath.Join(home, StateFolder, StateFile), nil
}

// homeFolder is $HOME or, for a service that is started without it, what the
// system knows of the user.
func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	if u, userErr := user.Current(); userErr == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", err
}
