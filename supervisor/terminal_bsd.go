//go:build unix && !linux

package supervisor

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	getWaiting = 0x4004667f // FIONREAD
)
