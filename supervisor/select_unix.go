//go:build unix

package supervisor

import "golang.org/x/sys/unix"

// pollBySelect is poll(2) for reading and writing, by select(2), which has a limit
// for the numbers of descriptors.
func pollBySelect(fds []unix.PollFd, milliseconds int) (int, error) {
	var in, out unix.FdSet
	last := 0
	for _, f := range fds {
		if f.Fd < 0 || f.Fd >= unix.FD_SETSIZE {
			return unix.Poll(fds, milliseconds)
		}
		if f.Events&unix.POLLIN != 0 {
			in.Set(int(f.Fd))
		}
		if f.Events&unix.POLLOUT != 0 {
			out.Set(int(f.Fd))
		}
		last = max(last, int(f.Fd))
	}
	var limit *unix.Timeval
	if milliseconds >= 0 {
		t := unix.NsecToTimeval(int64(milliseconds) * 1e6)
		limit = &t
	}
	n, err := unix.Select(last+1, &in, &out, nil, limit)
	for i := range fds {
		f := &fds[i]
		f.Revents = 0
		if err == nil && in.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLIN
		}
		if err == nil && out.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLOUT
		}
	}
	return n, err
}
