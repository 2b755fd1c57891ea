//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"sync"
	"syscall"

	"go.uber.org/zap"
)

// A guard ends the child's group in our place when we are killed and can end
// nothing any more. The kernel's parent-death signal, where there is one, reaches
// the child alone: behind a launcher the program itself would work on.
//
// It is a shell that reads from a pipe of which only we hold the other end, in a
// session of its own, so that nothing that is meant for us or for the child
// reaches it. It is started beside our own start, which it would delay, and told
// the child's group later. A nil guard does nothing.
type guard struct {
	life    *os.File
	started chan struct{} // closed when pid is set
	pid     int           // 0 = it could not be started
	over    sync.Once
	gone    chan struct{} // closed when the guard has ended after dismiss
}

// guardScript waits for a group and then for our end. Then it asks the group to
// end, and kills it if it is still there after about five seconds.
const guardScript = `read -r group || exit
read -r _
kill -TERM -$group
kill -CONT -$group
i=0
while kill -0 -$group; do
	[ $((i += 1)) -le 50 ] || { kill -KILL -$group; exit; }
	sleep 0.1 || sleep 1
done`

// startGuard starts a guard. Without one, which is logged, all else works as well.
func startGuard(log *zap.Logger) *guard {
	if os.Getpid() == 1 {
		return nil // the kernel ends everything that was started here together with us
	}
	theirs, life, err := os.Pipe()
	if err != nil {
		log.Debug("start the guard", zap.Error(err))
		return nil
	}
	g := &guard{life: life, started: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		defer close(g.started)
		defer theirs.Close()
		if err := g.spawn(theirs); err != nil {
			log.Debug("start the guard", zap.Error(err))
		}
	}()
	return g
}

func (g *guard) spawn(theirs *os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	g.pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", guardScript, "ralph-run-guard"}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   os.Environ(),
		Files: []uintptr{theirs.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	return err
}

// ready waits until it is started.
func (g *guard) ready() {
	if g != nil {
		<-g.started
	}
}

// watch tells it the group that is to be ended.
func (g *guard) watch(group int) {
	if g != nil {
		fmt.Fprintln(g.life, group)
	}
}

// dismiss ends the guard: the child has ended, or there will be none. The pipe is
// closed only after that: its end is what the guard waits for. It is not waited
// for here, but in await.
func (g *guard) dismiss() {
	if g != nil {
		g.over.Do(func() { go g.end() })
	}
}

func (g *guard) end() {
	defer close(g.gone)
	defer g.life.Close()
	<-g.started
	if g.pid == 0 {
		return
	}
	syscall.Kill(g.pid, syscall.SIGKILL)
	for {
		if _, err := syscall.Wait4(g.pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// await waits until a dismissed guard has ended.
func (g *guard) await() {
	if g != nil {
		<-g.gone
	}
}
