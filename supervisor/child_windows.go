package supervisor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/ralph-run/ralph-run/detect"
)

type childSys struct {
	cmd *exec.Cmd
	job windows.Handle

	mu   sync.Mutex
	byUs bool
	gone bool
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// stop ends the child's whole tree at once: Windows has no signal that asks.
func (c *child) stop() {
	c.mu.Lock()
	c.byUs = c.byUs || !c.gone
	c.mu.Unlock()
	c.endJob()
}

func (c *child) endJob() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		windows.TerminateJobObject(c.job, 1)
	}
}

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// launch starts the program suspended and lets it run once it is in a job that
// ends with us, so that nothing of its tree is outside.
func (s *stage) launch(path string, spec childSpec) (*child, error) {
	c := &child{stage: s, finished: make(chan struct{})}
	c.cmd = &exec.Cmd{Path: path, Args: spec.argv, Env: spec.env, Stdin: s.cfg.Stdin}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	var err error
	if c.job, err = newJob(); err != nil {
		return nil, startError(spec.argv[0], err)
	}
	w, err := s.pipes(c)
	if err == nil {
		err = c.begin()
	}
	closeAll(w.theirs)
	if err != nil {
		closeAll(w.ours)
		windows.CloseHandle(c.job)
		return nil, startError(spec.argv[0], err)
	}
	c.relay = newRelay(spec.observe, s.cfg.Logger)
	go c.relay.watch()
	for _, t := range w.routes {
		c.relay.carry(t)
	}
	if w.stdin != nil {
		go s.record.feed(w.stdin, -1)
	}
	s.setRunning(c)
	go c.run(w.routes)
	return c, nil
}

// begin starts the suspended process, puts it into the job and lets it run.
func (c *child) begin() error {
	if err := c.cmd.Start(); err != nil {
		return err
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME,
		false, uint32(c.cmd.Process.Pid))
	if err == nil {
		defer windows.CloseHandle(h)
		err = windows.AssignProcessToJobObject(c.job, h)
	}
	if err == nil {
		resumeProcess.Call(uintptr(h))
		return nil
	}
	c.cmd.Process.Kill()
	c.cmd.Wait()
	return err
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("create job", err)
	}
	if err := limitJob(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func limitJob(job windows.Handle, flags uint32) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return os.NewSyscallError("set up job", err)
}

// A wiring is what the child's standard streams are connected to.
type wiring struct {
	routes       []*route
	stdin        *os.File // our end of its stdin pipe, or nil
	ours, theirs []*os.File
}

// pipes connects the child's outputs, and a stdin that has to be recorded.
func (s *stage) pipes(c *child) (wiring, error) {
	var w wiring
	for i, to := range []*os.File{s.cfg.Stdout, s.cfg.Stderr} {
		ours, theirs, err := os.Pipe()
		if err != nil {
			return w, err
		}
		w.ours, w.theirs = append(w.ours, ours), append(w.theirs, theirs)
		w.routes = append(w.routes, &route{from: ours, read: ours.Read, to: to, stream: detect.Stream(i), broken: func(error) { c.endJob() }})
	}
	c.cmd.Stdout, c.cmd.Stderr = w.theirs[0], w.theirs[1]
	if s.record == nil {
		return w, nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return w, err
	}
	w.ours, w.theirs, w.stdin = append(w.ours, ours), append(w.theirs, theirs), ours
	c.cmd.Stdin = theirs
	return w, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// run follows the child to its end.
func (c *child) run(routes []*route) {
	defer close(c.finished)
	c.cmd.Wait()
	time.AfterFunc(drainAfter, func() {
		for _, t := range routes {
			t.from.Close()
		}
	})
	c.relay.copies.Wait()
	c.relay.finish()
	c.stage.setRunning(nil)
	c.mu.Lock()
	c.gone = true
	byUs := c.byUs
	c.mu.Unlock()
	limitJob(c.job, 0) // what the child left in the background goes on
	windows.CloseHandle(c.job)
	c.end = childEnd{
		Exit:        Exit{Code: c.cmd.ProcessState.ExitCode()},
		byUs:        byUs,
		interrupted: c.stage.asks.get(),
		bytes:       c.relay.bytes.Load(),
		outErr:      c.relay.failure(),
	}
}

// Die ends this process with the child's status.
func (e Exit) Die() { os.Exit(e.ShellCode()) }

func readWhenReady(f *os.File, p []byte, wake int) (int, error) { return f.Read(p) }

func (t *route) readNow(p []byte) int { return 0 }

// arrived returns 0: not known.
func (t *route) arrived() int64 { return 0 }

func writeAll(f *os.File, p []byte) error {
	_, err := f.Write(p)
	return err
}

// readerGone reports that err is the way of the system to say that nobody
// reads what we write: no failure of the output.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

func isPath(name string) bool { return strings.ContainsAny(name, `/\:`) }

// executable returns file with the extension of PATHEXT that it has, as the
// shells do.
func executable(file string) (string, error) {
	found, err := exec.LookPath(filepath.Clean(file))
	if errors.Is(err, exec.ErrDot) {
		return found, nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", errNotFound
	}
	return found, err
}
