//go:build unix

package supervisor

import (
	"crypto/rand"
	"os"
	"runtime"
	"strconv"
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
// the child's group later. If we are killed between the two, or something has left
// the group, it finds that by a mark in the environment, where the system shows it
// (Linux). A monitor starts one when we are killed. A nil guard does nothing.
type guard struct {
	life    *os.File
	mark    string
	started chan struct{} // closed when pid is set
	pid     int           // 0 = it could not be started
	over    sync.Once
	gone    chan struct{} // closed when the guard has ended after dismiss
}

// envGuard is the variable with the mark.
const envGuard = "RALPH_RUN_GUARD"

// guardScript reads the mark and the group, and waits for our end. Then it asks the
// group to end, and those of all who bear the mark, and kills what is still there
// after about five seconds. Who forks while all are looked through may be overlooked:
// it has to find nothing several times.
const guardScript = `read -r mark
[ "$mark" ] || exit
read -r group
read -r _
left() {
	[ "$group" ] && kill -0 -$group && echo $group
	grep -lsF "$mark" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
		read -r stat </proc/$pid/stat && set -- ${stat##*) } && echo $3
	done | sort -u
}
each() {
	for g in $(left); do
		kill -$1 -$g
	done
}
each TERM
each CONT
end=$(($(date +%s) + 5)) tries=0 kills=0 none=0
while [ $none -lt 3 ] && [ $kills -lt 10 ]; do
	if [ $((tries += 1)) -gt 50 ] || [ "$(date +%s)" -gt $end ]; then
		each KILL
		kills=$((kills + 1))
	fi
	none=$((none + 1))
	[ -z "$(left)" ] || none=0
	sleep 0.1 || sleep 1
done`

// startGuard starts a guard with a new mark. Without one, which is logged, all else
// works as well.
func startGuard(log *zap.Logger) *guard { return startGuardOf(newMark(), log) }

// newMark returns a mark that nobody else has.
func newMark() string { return rand.Text() }

// startGuardOf starts the guard of those who bear the mark.
func startGuardOf(mark string, log *zap.Logger) *guard {
	if os.Getpid() == 1 {
		return nil // the kernel ends everything that was started here together with us
	}
	theirs, life, err := os.Pipe()
	if err != nil {
		log.Debug("start the guard", zap.Error(err))
		return nil
	}
	g := &guard{life: life, mark: mark, started: make(chan struct{}), gone: make(chan struct{})}
	g.tell(g.mark)
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
		Env:   []string{"PATH=" + guardPath()}, // and no mark of a guard above us
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

// guardPath is where the script finds grep and sleep: never in the working
// directory, which an empty PATH would mean.
func guardPath() string {
	path := "/usr/bin:/bin"
	if ours := os.Getenv("PATH"); ours != "" {
		path += ":" + ours
	}
	return path
}

// marked returns env with the mark, for a child that is about to be started.
func (g *guard) marked(env []string) []string {
	if g == nil {
		return env
	}
	return markedBy(g.mark, env)
}

func markedBy(mark string, env []string) []string {
	if runtime.GOOS != "linux" {
		return env
	}
	return WithEnv(env, envGuard, mark)
}

// watch tells it the group that is to be ended.
func (g *guard) watch(group int) {
	if g != nil {
		g.tell(strconv.Itoa(group))
	}
}

func (g *guard) tell(line string) { g.life.WriteString(line + "\n") }

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
	if g.pid != 0 {
		syscall.Kill(g.pid, syscall.SIGKILL)
		reapOnly(g.pid)
	}
}

// act has the guard do what it is there for, and waits for that. It reports false
// if there is none.
func (g *guard) act() bool {
	if g == nil {
		return false
	}
	<-g.started
	g.life.Close()
	return g.pid != 0 && reapOnly(g.pid) == nil
}

// await waits until a dismissed guard has ended.
func (g *guard) await() {
	if g != nil {
		<-g.gone
	}
}
