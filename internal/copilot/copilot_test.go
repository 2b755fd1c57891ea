package copilot

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	cache := t.TempDir()
	c, err := Find(cache)
	if !errors.Is(err, ErrNotFetched) {
		t.Errorf("Find in an empty cache: %v, want %v", err, ErrNotFetched)
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.Path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(cache); err != nil || got != c {
		t.Errorf("Find = %+v, %v; want %+v", got, err, c)
	}
}

// TestMakeHome: two homes share what the client unpacks, and making one again
// does no harm.
func TestMakeHome(t *testing.T) {
	c := Client{Unpacked: filepath.Join(t.TempDir(), "unpacked")}
	one, two := t.TempDir(), t.TempDir()
	for _, home := range []string{one, two, one} {
		if err := c.MakeHome(home); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(one, ".cache", "copilot", "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(two, ".cache", "copilot", "x")); err != nil {
		t.Error(err)
	}
}

// TestEnv: nothing of the caller's own login, settings or home gets in.
func TestEnv(t *testing.T) {
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "COPILOT_MODEL", "XDG_CONFIG_HOME", "HTTPS_PROXY"} {
		t.Setenv(name, "the caller's own")
	}
	for _, path := range []Path{Service, Provider, Responses, Anthropic} {
		env := Client{Path: "bin/copilot"}.Env(path, "http://127.0.0.1:9", "/home/user")
		for _, v := range env {
			if strings.Contains(v, "the caller's own") {
				t.Errorf("%s: %s", path, v)
			}
		}
		if !slices.Contains(env, "HOME=/home/user") {
			t.Errorf("%s: no HOME in %q", path, env)
		}
		url := slices.IndexFunc(env, func(v string) bool { return strings.Contains(v, "_URL=http://127.0.0.1:9") })
		if url < 0 {
			t.Errorf("%s: no address of the stand-in in %q", path, env)
		}
	}
}
