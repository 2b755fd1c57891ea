//go:build unix

package supervisor

import (
	"os"
	"strconv"
	"syscall"

	"go.uber.org/zap"
)

// A guard ends the child's group in our place when we are killed and can end
// nothing any more. The kernel's parent-death signal, where there is one, reaches
// the child alone: behind a launcher the program itself would work on.
//
// It is a shell that reads from a pipe of which only we hold the other end, in a
// session of its own, so that nothing that is meant for us or for the child
// reaches it.
type guard struct {
	pid  int
	life *os.File
}

// guardScript waits for our end, and then asks the group $1 to end, and kills it
// if it is still there after about five seconds.
const guardScript = `read -r _
kill -TERM -$1
kill -CONT -$1
i=0
while kill -0 -$1; do
	[ $((i += 1)) -le 50 ] || { kill -KILL -$1; exit; }
	sleep 0.1 || sleep 1
done`

// startGuard starts a guard of a process group. Without one, which is logged, all
// else works as well.
func startGuard(group int, log *zap.Logger) *guard {
	if os.Getpid() == 1 {
		return nil // the kernel ends everything that was started here together with us
	}
	g, err := newGuard(group)
	if err != nil {
		log.Debug("start the guard", zap.Error(err))
		return nil
	}
	return g
}

func newGuard(group int) (*guard, error) {
	theirs, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		life.Close()
		return nil, err
	}
	defer null.Close()
	g := &guard{life: life}
	argv := []string{"sh", "-c", guardScript, "ralph-run-guard", strconv.Itoa(group)}
	g.pid, err = syscall.ForkExec("/bin/sh", argv, &syscall.ProcAttr{
		Dir:   "/",
		Env:   os.Environ(),
		Files: []uintptr{theirs.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		life.Close()
		return nil, err
	}
	return g, nil
}

// dismiss ends the guard. The pipe is closed only after that: its end is what the
// guard waits for.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	syscall.Kill(g.pid, syscall.SIGKILL)
	for {
		if _, err := syscall.Wait4(g.pid, nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	g.life.Close()
}
