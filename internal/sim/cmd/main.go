// Command cmd writes docs/fleet.md and docs/fleet.svg: see make sim.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ralph-run/ralph-run/internal/sim"
)

func main() {
	if err := write("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	f := sim.Measure()
	for name, text := range map[string]string{"fleet.md": sim.Markdown(f), "fleet.svg": sim.SVG(f)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
