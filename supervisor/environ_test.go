package supervisor

import (
	"slices"
	"testing"
)

func TestGetenv(t *testing.T) {
	env := []string{"PATH=/first", "EMPTY=", "no value", "PATH=/second", "=C:=C:\\"}
	for name, want := range map[string]string{"PATH": "/first", "EMPTY": "", "PAT": "", "no value": "", "GONE": ""} {
		if got := Getenv(env, name); got != want {
			t.Errorf("Getenv(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestWithEnv(t *testing.T) {
	env := []string{"A=1", "B=2", "A=3", "AB=4"}
	if got, want := WithEnv(env, "A", "x=y"), []string{"B=2", "AB=4", "A=x=y"}; !slices.Equal(got, want) {
		t.Errorf("WithEnv = %q, want %q", got, want)
	}
	if got := Getenv(WithEnv(env, "A", "x=y"), "A"); got != "x=y" {
		t.Errorf("A is %q after it was set", got)
	}
}
