package breaker_test

import (
	"path/filepath"
	"testing"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/storetest"
)

func TestFileStore(t *testing.T) {
	dir := t.TempDir()
	storetest.Run(t, func(t *testing.T, place string) breaker.Store {
		return breaker.NewFileStore(filepath.Join(dir, place, ".squad", breaker.StateFile))
	})
}
