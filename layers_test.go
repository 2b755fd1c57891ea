package ralphrun

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ralph-run/ralph-run"

// layers are the packages of the program, and what of it each may import.
// Whatever lies below internal serves tests and tools, and may import anything.
var layers = map[string][]string{
	"cmd/ralph-run":      {"supervisor", "detect", "breaker", "breaker/redisstore"},
	"supervisor":         {"detect", "breaker"},
	"detect":             {},
	"breaker":            {},
	"breaker/redisstore": {"breaker"},
}

// TestLayers holds that imports go one way. It parses the files itself: the go
// command would answer from its cache.
func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		seen[dir] = true
		checkImports(t, dir, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range layers {
		if dir != "breaker/redisstore" && !seen[dir] {
			t.Errorf("no Go file in %s", dir)
		}
	}
}

func checkImports(t *testing.T, dir, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		ours, ok := strings.CutPrefix(name, module+"/")
		if !ok || dir == ours {
			continue
		}
		if strings.HasSuffix(path, "_test.go") && forTests(ours) {
			continue
		}
		switch allowed, known := layers[dir]; {
		case !known && forTests(dir):
		case !known:
			t.Errorf("%s: %s is not in the table of layers", path, dir)
		case !slices.Contains(allowed, ours):
			t.Errorf("%s: %s must not import %s", path, dir, ours)
		}
	}
}

// forTests reports a package that only tests may import.
func forTests(dir string) bool {
	return strings.HasPrefix(dir, "internal/") || strings.HasSuffix(dir, "test")
}

// TestPseudoTerminals holds that nothing of the program opens a pty on Linux by
// creack/pty, whose Open has the kernel write to a stack that may move meanwhile.
// It happens too seldom for a test that waits for it.
func TestPseudoTerminals(t *testing.T) {
	linux := build.Default
	linux.GOOS = "linux"
	for dir := range layers {
		p, err := linux.ImportDir(dir, 0)
		if err != nil {
			t.Error(err)
		}
		if slices.Contains(p.Imports, "github.com/creack/pty") {
			t.Errorf("%s imports creack/pty on Linux", dir)
		}
	}
}

// TestPureDetector holds that the detector asks nobody for the time or the
// world, and starts nothing: its answers follow from its arguments.
func TestPureDetector(t *testing.T) {
	files, err := filepath.Glob("detect/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch name := strings.Trim(spec.Path.Value, `"`); name {
			case "os", "os/exec", "net", "net/http", "io/fs", "syscall", "context", "log":
				t.Errorf("%s: detect must not import %s", path, name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: detect must not start a goroutine", path)
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					t.Errorf("%s: detect must not use time.%s", path, n.Sel.Name)
				}
			}
			return true
		})
	}
}

// clocks are the names of package time that read the clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
