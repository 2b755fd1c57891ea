// Package copilot knows how to run the real Copilot CLI against a stand-in on
// loopback, without touching anything outside a folder of the caller's choice.
package copilot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Client is an installed Copilot CLI and the folder with what it unpacks at its
// first start, which all homes share.
type Client struct {
	Path     string // its launcher, called copilot
	Unpacked string
}

// ErrNotFetched reports that the client is not in the cache folder.
var ErrNotFetched = errors.New("the Copilot CLI is not in .cache: run make fetch")

// Find returns the client in a project's cache folder, where `make fetch` has
// put it.
func Find(cache string) (Client, error) {
	cache, err := filepath.Abs(cache) // it goes into a PATH that is used in other folders
	if err != nil {
		return Client{}, fmt.Errorf("find the client: %w", err)
	}
	c := Client{
		Path:     filepath.Join(cache, "copilot", "node_modules", ".bin", "copilot"),
		Unpacked: filepath.Join(cache, "copilot", "unpacked"),
	}
	if _, err := os.Stat(c.Path); errors.Is(err, fs.ErrNotExist) {
		return c, ErrNotFetched
	} else if err != nil {
		return c, fmt.Errorf("find the client: %w", err)
	}
	return c, nil
}

// MakeHome makes an empty home folder for one user of the client.
func (c Client) MakeHome(dir string) error {
	if err := os.MkdirAll(c.Unpacked, 0o755); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".cache"), 0o755); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	err := os.Symlink(c.Unpacked, filepath.Join(dir, ".cache", "copilot"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a home: %w", err)
	}
	return nil
}

// A Path is a way on which the client reaches a model.
type Path string

const (
	Service   Path = "service"   // GitHub's service, as a logged-in user has it
	Provider  Path = "provider"  // a server of the user's own that speaks chat completions
	Responses Path = "responses" // the same, with OpenAI's newer format
	Anthropic Path = "anthropic" // the same, with Anthropic's format
)

// Env is the whole environment of a client that lives in home and talks to the
// stand-in at url. Of the caller's environment it takes nothing but PATH, in
// front of which it puts the client's folder.
func (c Client) Env(path Path, url, home string) []string {
	env := []string{
		"PATH=" + filepath.Dir(c.Path) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home,
		"TMPDIR=" + os.TempDir(),
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
		"COPILOT_AUTO_UPDATE=false",
	}
	if path == Service {
		return append(env,
			"COPILOT_API_URL="+url,
			"COPILOT_DEBUG_GITHUB_API_URL="+url,
			"COPILOT_GITHUB_TOKEN="+madeUpToken)
	}
	env = append(env, "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_API_KEY=any")
	switch path {
	case Anthropic:
		return append(env, "COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL="+url)
	case Responses:
		return append(env, "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL="+url+"/v1",
			"COPILOT_PROVIDER_WIRE_API=responses")
	default:
		return append(env, "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL="+url+"/v1",
			"COPILOT_PROVIDER_WIRE_API=completions")
	}
}

// madeUpToken has the shape of a token that GitHub gives out, and is none.
var madeUpToken = "gho_" + strings.Repeat("standin0", 5)[:36]
