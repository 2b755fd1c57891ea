package supervisor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGuardUntold kills us after the start of the child and before the guard has
// been told of it. The child itself dies with us, and what it has started does not.
func TestGuardUntold(t *testing.T) {
	for _, wiring := range familyWirings[:3] {
		for name, trap := range map[string]string{"default": "", "ignored": "trap '' HUP TERM; "} {
			t.Run(wiring+"/"+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "pids")
				p := startFamily(t, wiring, trap+"exec >"+file+"; "+familyScript, "-halt")
				eventually(t, "the family is there", func() bool {
					text, _ := os.ReadFile(file)
					return bytes.Count(text, []byte("\n")) == len(familyNames)
				})
				text, _ := os.ReadFile(file)
				pids := familyIn(t, string(text))
				p.signal(syscall.SIGKILL)
				expectGone(t, pids)
			})
		}
	}
}

// TestGuardTakesWhatLeftTheGroup: agents start their tools in sessions of their own.
func TestGuardTakesWhatLeftTheGroup(t *testing.T) {
	for _, wiring := range familyWirings {
		t.Run(wiring, func(t *testing.T) {
			t.Parallel()
			p := startFamily(t, wiring, `setsid sh -c 'trap "" HUP; echo pid=$$; exec sleep 1000' & wait`)
			pid := p.expectInt("pid")
			syscall.Kill(p.us(wiring), syscall.SIGKILL)
			eventually(t, "the one in another session ends", func() bool { return !alive(pid) })
		})
	}
}

// TestGuardAtAnyMoment kills us at many moments of a start. Nobody may be left who
// has the tag in his environment.
func TestGuardAtAnyMoment(t *testing.T) {
	tag := fmt.Sprintf("TAG_OF_TEST=%d-%d", os.Getpid(), time.Now().UnixNano())
	start := func() *proc {
		return onPipes(t, "env", tag, "rr", "sh", "-c", "trap '' HUP TERM; sh -c 'sleep 1000; :' & sleep 1000 & echo ready; wait")
	}
	began := time.Now()
	p := start()
	p.expect("ready")
	whole := time.Since(began)
	p.signal(syscall.SIGKILL)
	for range runs(40) {
		p := start()
		time.Sleep(rand.N(whole * 5 / 4)) // any moment is what is tested
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
	eventually(t, "nobody of any start is left", func() bool { return len(tagged(tag)) == 0 })
}

// tagged returns the processes that have a variable in their environment.
func tagged(variable string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, _ := os.ReadFile(file)
		if bytes.Contains(env, []byte(variable)) {
			pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}
