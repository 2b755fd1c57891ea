//go:build unix && !linux

package supervisor

import "golang.org/x/sys/unix"

// descends reports that process pid is one of the group that our child leads.
// The launchers of the known clients make no groups of their own, so this is
// where a descendant is found without a table of processes.
func descends(pid, ancestor int) bool {
	group, err := unix.Getpgid(pid)
	return err == nil && (pid == ancestor || group == ancestor)
}
