package sim

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDocs shows that the figures in docs are those of this code: the same
// seeds give the same figures everywhere. make sim writes them anew.
func TestDocs(t *testing.T) {
	f := Measure()
	for name, want := range map[string]string{"fleet.md": Markdown(f), "fleet.svg": SVG(f)} {
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/%s is not what the simulation gives: run make sim", name)
		}
	}
}

// TestTarget shows the promise to a fleet: however many runners, once the limit
// is known there is one limited call for each cooldown that it lasts.
func TestTarget(t *testing.T) {
	fleet := Policies()[4]
	for _, n := range fleets {
		for seed := range uint64(3) {
			r := Run(Standard(n, seed), fleet)
			if windows := 4; r.Informed > windows {
				t.Errorf("%d runners, seed %d: %d limited calls after the first report, want at most %d", n, seed, r.Informed, windows)
			}
		}
	}
}

// TestNobody shows the yardstick: without a breaker every start during the limit
// is refused, and a runner loses the time until the limit ends.
func TestNobody(t *testing.T) {
	s := Standard(1000, 1)
	r := Run(s, Policies()[0])
	// A refused run takes 55 s and a pause of 10 min on average.
	starts := float64(s.Runners) * s.LimitFor.Minutes() / (s.Pause + clientGivesUp).Minutes()
	if got := float64(r.Started); got < 0.9*starts || got > 1.1*starts {
		t.Errorf("%v runs were refused, want about %v", got, starts)
	}
	if lost := r.Lost / time.Duration(s.Runners); lost < s.LimitFor*3/4 || lost > s.LimitFor+s.Pause {
		t.Errorf("a runner lost %v, want about the limit's %v", lost, s.LimitFor)
	}
	if r.Probes != 0 || r.Late != 0 {
		t.Errorf("without a breaker there were %d probes and %d runs on a fallback", r.Probes, r.Late)
	}
}
