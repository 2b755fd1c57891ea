package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	stateFolder = ".squad"
	stateName   = "ralph-circuit-breaker.json"
)

// statePlace is where the circuit lives: a path, or a URL as it was given.
func statePlace(s settings) (string, error) {
	if s.state != "" {
		return s.state, nil
	}
	home, homeErr := os.UserHomeDir()
	if s.shared {
		if homeErr != nil {
			return "", usageErrorf("--shared: find the home folder: %v", homeErr)
		}
		return filepath.Join(home, stateFolder, stateName), nil
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.Join(stateFolder, stateName), nil // the store reports it
	}
	return findState(here, home), nil
}

// findState returns the nearest state file at or above a folder, or else where
// it is to be made. It does not look above the repository, nor at home or above
// it: the file there is every repository's, and used only if asked for.
func findState(here, home string) string {
	for dir := here; ; dir = filepath.Dir(dir) {
		if dir == home && dir != here {
			break
		}
		path := filepath.Join(dir, stateFolder, stateName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || dir == home || dir == filepath.Dir(dir) {
			break
		}
	}
	return filepath.Join(here, stateFolder, stateName)
}

// checkPlace refuses a URL that no store answers to.
func checkPlace(place string) error {
	scheme, _, isURL := strings.Cut(place, "://")
	if !isURL {
		return nil
	}
	switch scheme {
	case "redis", "rediss", "unix":
		return usageErrorf("--state %s://…: this build has no Redis support; give a path", scheme)
	}
	return usageErrorf("--state %q: unknown scheme %s; want a path", hidePassword(place), scheme)
}

// hidePassword cuts a URL's user and password out.
func hidePassword(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = "…" + rest[at:]
	}
	return fmt.Sprintf("%s://%s", scheme, rest)
}
