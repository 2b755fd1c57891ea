//go:build unix

package supervisor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience of the tests: far more than a loaded machine needs.
const enough = 60 * time.Second

// A proc is a started program, with what it has written so far.
type proc struct {
	t   *testing.T
	cmd *exec.Cmd
	tty *os.File // the person's end of its terminal, or nil
	in  *os.File // the slave, as the program has it; or nil

	mu    sync.Mutex
	more  chan struct{} // closed and renewed with every piece
	out   bytes.Buffer
	taken int // what expect has gone past
	ended chan struct{}
	eof   chan struct{}
}

// newTerminal opens a pty for the person's side, which is read and written as any
// file.
func newTerminal() (person, slave *os.File, err error) {
	master, slave, err := openPTY()
	if err != nil {
		return nil, nil, err
	}
	defer master.Close()
	fd, err := unix.FcntlInt(uintptr(descriptor(master)), unix.F_DUPFD_CLOEXEC, 3)
	return os.NewFile(uintptr(fd), "terminal"), slave, err
}

// onTerminal starts a program on a terminal of its own, as a login does. Streams
// that are not nil in files replace the terminal.
func onTerminal(t *testing.T, files [3]*os.File, name string, args ...string) *proc {
	t.Helper()
	master, slave, err := newTerminal()
	if err != nil {
		t.Fatal(err)
	}
	unix.IoctlSetWinsize(descriptor(slave), unix.TIOCSWINSZ, &unix.Winsize{Row: 33, Col: 101})
	p := &proc{t: t, tty: master, in: slave}
	p.cmd = exec.Command(name, args...)
	ctty := 3 // its own descriptor where all three are something else
	for i := range files {
		if files[i] == nil {
			files[i], ctty = slave, i
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = files[0], files[1], files[2]
	if ctty == 3 {
		p.cmd.ExtraFiles = []*os.File{slave}
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: ctty}
	p.begin(master)
	return p
}

// onPipes starts a program without a terminal; its two outputs are one pipe.
func onPipes(t *testing.T, name string, args ...string) *proc {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &proc{t: t, cmd: exec.Command(name, args...)}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.begin(r)
	w.Close()
	return p
}

func (p *proc) begin(out *os.File) {
	p.t.Helper()
	p.more, p.ended, p.eof = make(chan struct{}), make(chan struct{}), make(chan struct{})
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go p.listen(out)
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	p.t.Cleanup(func() {
		select {
		case <-p.ended:
		default: // so the number is not another's
			syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			<-p.ended
		}
		if p.in != nil {
			p.in.Close()
		}
		out.Close()
	})
}

func (p *proc) listen(out *os.File) {
	defer close(p.eof)
	buf := make([]byte, 64<<10)
	for {
		n, err := out.Read(buf)
		p.mu.Lock()
		p.out.Write(buf[:n])
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits until want is written, and goes past it. It returns what came
// before.
func (p *proc) expect(want string) string {
	p.t.Helper()
	late := time.After(enough)
	for {
		p.mu.Lock()
		all, more := p.out.String(), p.more
		p.mu.Unlock()
		if at := strings.Index(all[p.taken:], want); at >= 0 {
			before := all[p.taken : p.taken+at]
			p.taken += at + len(want)
			return before
		}
		select {
		case <-more:
		case <-p.eof:
			p.mu.Lock()
			again := strings.Contains(p.out.String()[p.taken:], want)
			p.mu.Unlock()
			if !again {
				p.t.Fatalf("output ended without %q:\n%q", want, all[p.taken:])
			}
		case <-late:
			p.t.Fatalf("waited in vain for %q in:\n%q", want, all[p.taken:])
		}
	}
}

// expectInt waits for a line "name=number".
func (p *proc) expectInt(name string) int {
	p.t.Helper()
	p.expect(name + "=")
	text := strings.TrimSpace(p.expect("\n"))
	n, err := strconv.Atoi(text)
	if err != nil {
		p.t.Fatalf("%s=%q, want a number", name, text)
	}
	return n
}

func (p *proc) type_(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *proc) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits for the end of the program.
func (p *proc) wait() syscall.WaitStatus {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(enough):
		p.t.Fatalf("%v did not end; output so far:\n%q", p.cmd.Args, p.text())
	}
	return p.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func (p *proc) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// shell runs a script that uses rr, without a terminal, and returns what it
// wrote.
func shell(t *testing.T, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = enough / 2
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// eventually waits until a condition holds that has no event.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(enough); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// stateOf returns the state of a process as ps shows it, "" if there is none.
func stateOf(pid int) string {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

// alive reports whether pid is a running process. A zombie is none.
func alive(pid int) bool {
	state := stateOf(pid)
	return state != "" && state[0] != 'Z'
}

// childOf returns the only child of a process, once it has one.
func childOf(t *testing.T, pid int) (child int) {
	t.Helper()
	eventually(t, fmt.Sprintf("a child of %d", pid), func() bool {
		out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
		_, err := fmt.Sscan(string(out), &child)
		return err == nil
	})
	return child
}
