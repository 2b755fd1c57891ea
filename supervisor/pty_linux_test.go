package supervisor

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPairsBelongTogether opens ptys while the collector moves the stacks of those
// who open them. A library that has the kernel write to its stack took another's
// terminal for its slave, but only once in some 60,000, so TestPseudoTerminals (of
// the module's root) holds that it is not used.
func TestPairsBelongTogether(t *testing.T) {
	stop := make(chan struct{})
	var collector, openers sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range 4 {
		openers.Go(func() {
			for range runs(4000) {
				deepen(100)
				if err := openAndCompare(t); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	openers.Wait()
	close(stop)
	collector.Wait()
}

// deepen makes the stack grow; the next collection shrinks it.
//
//go:noinline
func deepen(n int) byte {
	var room [512]byte
	room[n] = byte(n)
	if n == 0 {
		return room[1]
	}
	return room[n-1] + deepen(n-1)
}

func openAndCompare(t *testing.T) error {
	master, slave, err := openPTY()
	if err != nil {
		return err
	}
	defer master.Close()
	defer slave.Close()
	n, err := unix.IoctlGetUint32(descriptor(master), unix.TIOCGPTN)
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(descriptor(slave), &st); err != nil {
		return err
	}
	if got := unix.Minor(st.Rdev); got != n {
		t.Errorf("the slave of pty %d is pty %d", n, got)
	}
	return nil
}
