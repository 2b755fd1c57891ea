package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const childName = "copilot"

// makeChild puts this program under the client's name into a folder.
func makeChild(root string) (path string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	path = filepath.Join(root, "bin", childName)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("make a stand-in child: %w", err)
	}
	if err := os.Symlink(self, path); err != nil {
		return "", fmt.Errorf("make a stand-in child: %w", err)
	}
	return path, nil
}

// child asks the stand-in once, as the real client does. On a limit it prints
// the client's notice and then hangs until a signal, as the client does.
func child(args []string) int {
	model := ""
	if i := slices.Index(args, "--model"); i >= 0 && i+1 < len(args) {
		model = args[i+1]
	}
	body := fmt.Sprintf(`{"model":%q,"stream":true}`, model)
	resp, err := http.Post(os.Getenv("COPILOT_API_URL")+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "\nYou've hit the rate limit for this model. Please switch models or wait for your limit to reset in 30 minutes. Learn More (https://docs.github.com/copilot/concepts/rate-limits).")
		<-signals
		fmt.Fprintln(os.Stderr, "\nExiting…")
		return 0
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		data := strings.TrimPrefix(lines.Text(), "data: ")
		if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
			fmt.Print(chunk.Choices[0].Delta.Content)
		}
	}
	fmt.Println()
	return 0
}
