//go:build unix

package supervisor

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPollBySelect: both ways say the same of pipes and terminals.
func TestPollBySelect(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	master, slave, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	changeSettings(slave, func(tio *unix.Termios) { tio.Lflag &^= unix.ECHO })
	ways := map[string]func([]unix.PollFd, int) (int, error){"poll": poll, "select": pollBySelect}
	expect := func(when string, f *os.File, events int16, want int) {
		t.Helper()
		for name, way := range ways {
			wait := 0
			if want > 0 {
				wait = -1 // until it is so
			}
			fds := []unix.PollFd{{Fd: int32(descriptor(f)), Events: events}}
			n, err := way(fds, wait)
			if n != want || err != nil || (fds[0].Revents&events != 0) != (want > 0) {
				t.Errorf("%s: %s = %d, %v with %#x, want %d", when, name, n, err, fds[0].Revents, want)
			}
		}
	}
	expect("an empty pipe", r, unix.POLLIN, 0)
	expect("room in a pipe", w, unix.POLLOUT, 1)
	expect("an empty terminal", master, unix.POLLIN, 0)
	expect("room in a terminal", master, unix.POLLOUT, 1)
	w.WriteString("x")
	slave.WriteString("x")
	expect("a pipe with something in it", r, unix.POLLIN, 1)
	expect("a terminal with something in it", master, unix.POLLIN, 1)
	w.Close()
	expect("a pipe at its end", r, unix.POLLIN, 1)
}
