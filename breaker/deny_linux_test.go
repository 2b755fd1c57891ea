package breaker_test

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

var deniable = map[string][]uint32{
	"flock":  {unix.SYS_FLOCK},
	"rename": renameCalls,
	"fsync":  {unix.SYS_FSYNC},
	"mkdir":  {unix.SYS_MKDIRAT},
}

// deny makes system calls of this process fail, as "flock:ENOLCK" says: what a
// file system without locks, a mounted file or a full disk does.
func deny(spec string) error {
	if spec == "" {
		return nil
	}
	name, code, _ := strings.Cut(spec, ":")
	errno := map[string]unix.Errno{"ENOLCK": unix.ENOLCK, "EBUSY": unix.EBUSY, "ENOSPC": unix.ENOSPC, "EROFS": unix.EROFS}[code]
	calls := deniable[name]
	if errno == 0 || calls == nil {
		return fmt.Errorf("unknown: %s", spec)
	}
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the call's number
	for _, call := range calls {
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if e != 0 {
		return e
	}
	return nil
}
