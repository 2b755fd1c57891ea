package breaker_test

import "golang.org/x/sys/unix"

var renameCalls = []uint32{unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}
