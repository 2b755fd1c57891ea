//go:build unix && !linux

package main

import "syscall"

// maxRSS is in KiB; macOS counts bytes, and a BSD's KiB only make it smaller.
func maxRSS(u *syscall.Rusage) int64 { return int64(u.Maxrss) / 1024 }
