package supervisor

// descends reports that process pid is ancestor or one of its descendants.
func descends(pid, ancestor int) bool {
	for range 64 { // a bound, since pids are reused while we look
		if pid == ancestor {
			return true
		}
		if pid = parentOf(pid); pid <= 1 {
			return false
		}
	}
	return false
}
