package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// descends reports that process pid is ancestor or one of its descendants.
func descends(pid, ancestor int) bool {
	for range 64 { // a bound, since pids are reused while we look
		if pid == ancestor {
			return true
		}
		if pid = parent(pid); pid <= 1 {
			return false
		}
	}
	return false
}

// parent returns the parent of a process, or 0.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The second field is the command's name in parentheses and may hold
	// anything, parentheses too: the fields count from the last one.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(fields[1]))
	return ppid
}
