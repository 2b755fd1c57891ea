//go:build !unix

package supervisor

// descends reports only the child itself: here a launcher's descendants are not
// known. Their log is not followed, and the grace alone ends a client that hangs.
func descends(pid, ancestor int) bool { return pid == ancestor }
