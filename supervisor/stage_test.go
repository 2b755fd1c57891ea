//go:build unix

package supervisor

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/detect"
)

// stageIn opens a stage with these standard streams.
func stageIn(t *testing.T, cfg Config) *stage {
	t.Helper()
	if cfg.Stdin == nil {
		cfg.Stdin = openFile(t, os.DevNull)
	}
	cfg.Logger = zap.NewNop()
	s, err := openStage(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func openFile(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestStagePipes runs a child whose two outputs are files.
func TestStagePipes(t *testing.T) {
	dir := t.TempDir()
	out, errs := openFile(t, dir+"/out"), openFile(t, dir+"/err")
	s := stageIn(t, Config{Stdout: out, Stderr: errs})
	var seen [2]strings.Builder
	c, err := s.start(childSpec{
		argv:    []string{"sh", "-c", "echo one; echo two >&2; exit 7"},
		env:     os.Environ(),
		observe: func(st detect.Stream, p []byte) { seen[st].Write(p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	end := c.wait()
	if end.Code != 7 || end.bytes != 8 || end.outErr != nil {
		t.Errorf("end = %+v, want code 7 and 8 bytes", end)
	}
	for i, want := range []string{"one\n", "two\n"} {
		got, _ := os.ReadFile([]string{out.Name(), errs.Name()}[i])
		if string(got) != want || seen[i].String() != want {
			t.Errorf("stream %d: passed on %q, observed %q, want %q", i+1, got, seen[i].String(), want)
		}
	}
}
