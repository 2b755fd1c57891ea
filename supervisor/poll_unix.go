//go:build unix && !darwin

package supervisor

import "golang.org/x/sys/unix"

var poll = unix.Poll
