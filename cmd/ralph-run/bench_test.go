package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkStart starts and ends `true`, bare and under each prefix, the state
// file included, side by side in one run. What is measured is what the Makefile
// builds.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "ralph-run")
	if out, err := exec.Command("make", "-C", "../..", "build", "BIN="+dir).CombinedOutput(); err != nil {
		b.Fatalf("build: %v: %s", err, out)
	}
	shim := filepath.Join(dir, "shim")
	real := filepath.Join(dir, "real")
	for _, d := range []string{shim, real, filepath.Join(dir, ".git")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(real, "copilot"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink(bin, filepath.Join(shim, "copilot")); err != nil {
		b.Skip(err)
	}
	env := append(os.Environ(), "PATH="+shim+":"+real+":"+os.Getenv("PATH"))
	for _, bench := range []struct {
		name string
		argv []string
	}{
		{"bare", []string{"true"}},
		{"ralph-run", []string{bin, "--", "true"}},
		{"timeout", []string{"timeout", "5", "true"}},
		{"script", []string{"script", "-qec", "true", "/dev/null"}},
		{"client/bare", []string{filepath.Join(real, "copilot"), "--version"}},
		{"client/shim", []string{filepath.Join(shim, "copilot"), "--version"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			if _, err := exec.LookPath(bench.argv[0]); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				cmd := exec.Command(bench.argv[0], bench.argv[1:]...)
				cmd.Dir, cmd.Env = dir, env
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}
