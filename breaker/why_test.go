package breaker_test

import (
	"testing"
	"time"

	"github.com/ralph-run/ralph-run/breaker"
)

// TestWhyNamesTheDay holds that a cooldown which ends on another day is not
// told as an hour of today.
func TestWhyNamesTheDay(t *testing.T) {
	local := time.Date(2026, 3, 18, 12, 0, 0, 0, time.Local)
	for _, tt := range []struct {
		length time.Duration
		want   string
	}{
		{2 * time.Hour, "cooldown until 14:00"},
		{24 * time.Hour, "cooldown until 2026-03-19 12:00"},
		{365 * 24 * time.Hour, "cooldown until 2027-03-18 12:00"},
	} {
		d := breaker.Default()
		d.Trip(breaker.Options{}, tt.length, local)
		a, err := d.Acquire(breaker.Options{}, "run", nil, local)
		if err != nil || a.Why != tt.want {
			t.Errorf("tripped for %s: Acquire says %q, %v; want %q", tt.length, a.Why, err, tt.want)
		}
	}
}
