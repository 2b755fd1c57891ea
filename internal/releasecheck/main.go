// Command releasecheck checks .goreleaser.yaml without building GoReleaser, which
// takes far longer than everything else here: it reads the file with GoReleaser's
// own loader, which knows every field, and looks whether the files that it names
// are there. It does not see what only a release would: templates that fail, or
// fields that are out of date.
//
// It is a module of its own, so that the program's go.mod does not carry this.
//
//	releasecheck DIR
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "use: releasecheck DIR")
		os.Exit(2)
	}
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "releasecheck: %v\n", err)
		os.Exit(1)
	}
	fmt.Println("releasecheck: .goreleaser.yaml is well-formed, and every file it names is there")
}

func check(dir string) error {
	project, err := config.Load(filepath.Join(dir, ".goreleaser.yaml"))
	if err != nil {
		return fmt.Errorf("read .goreleaser.yaml: %w", err)
	}
	if len(project.Builds) == 0 || len(project.Archives) == 0 || len(project.NFPMs) == 0 || len(project.Casks) == 0 {
		return errors.New("a build, an archive, a package or the Homebrew cask is missing")
	}
	var missing []error
	for _, pattern := range named(project) {
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(found) == 0 {
			missing = append(missing, fmt.Errorf("find %s: no such file", pattern))
		}
	}
	return errors.Join(missing...)
}

// named returns every file that a release takes from the project, as a pattern.
func named(project config.Project) []string {
	var list []string
	for _, b := range project.Builds {
		list = append(list, b.Main)
	}
	for _, a := range project.Archives {
		for _, f := range a.Files {
			list = append(list, f.Source)
		}
	}
	for _, p := range project.NFPMs {
		for _, c := range p.Contents {
			list = append(list, c.Source)
		}
	}
	for _, c := range project.Casks {
		inArchive := append([]string{c.Completions.Bash, c.Completions.Zsh, c.Completions.Fish}, c.Manpages...)
		for _, f := range inArchive {
			list = append(list, strings.Replace(f, "share/", ".cache/share/", 1))
		}
	}
	return list
}
