package main

import "syscall"

// maxRSS is in KiB, as Linux counts it.
func maxRSS(u *syscall.Rusage) int64 { return u.Maxrss }
