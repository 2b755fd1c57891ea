package supervisor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A clientLog follows the log file of a Copilot that descends from our child.
// Copilot writes process-<milliseconds>-<pid>.log into one folder for all its
// processes; the file's pid is that of the native binary, which a launcher
// started. Other processes' files in that folder are never read.
//
// It must not be used by two goroutines at once.
type clientLog struct {
	dir   string
	child int
	since time.Time // the file is younger

	scanned  time.Time       // the folder's time of change at the last scan
	rejected map[string]bool // files that are not ours
	file     *os.File        // nil = not found yet
	buf      []byte
}

// newClientLog prepares to find the log of a command started at since.
func newClientLog(c CommandLine, env []string, child int, since time.Time) *clientLog {
	if c.Client() != "copilot" {
		return nil
	}
	dir := logDir(c, env)
	if dir == "" {
		return nil
	}
	return &clientLog{dir: dir, child: child, since: since, rejected: map[string]bool{}}
}

// logDir returns the folder that a Copilot started so writes its logs into.
func logDir(c CommandLine, env []string) string {
	if dir := c.option("--log-dir"); dir != "" {
		return dir
	}
	if home := Getenv(env, "COPILOT_HOME"); home != "" {
		return filepath.Join(home, "logs")
	}
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := Getenv(env, name); home != "" {
		return filepath.Join(home, ".copilot", "logs")
	}
	return ""
}

// option returns the value of one of the child's options, the last one given.
func (c CommandLine) option(name string) (value string) {
	for i, w := range c.words {
		if w.kind != plain {
			continue
		}
		arg := c.argv[c.at+1+i]
		if v, ok := strings.CutPrefix(arg, name+"="); ok {
			value = v
		} else if arg == name && i+1 < len(c.words) && c.words[i+1].kind == plain {
			value = c.argv[c.at+2+i]
		}
	}
	return value
}

// read shows what was written since the last time, once the file is found. A
// log that cannot be read is as good as none: the notice on the client's output
// is still there.
func (l *clientLog) read(show func([]byte)) {
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	for range 64 {
		n, err := l.file.Read(l.buf)
		if n > 0 {
			show(l.buf[:n])
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// find opens the oldest file of the folder that is ours: a Copilot that another
// one runs as a tool has its own.
func (l *clientLog) find() bool {
	info, err := os.Stat(l.dir)
	if err != nil || info.ModTime().Equal(l.scanned) && time.Since(l.scanned) > 2*time.Second {
		return false
	}
	l.scanned = info.ModTime()
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return false
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if born, _, ok := logName(e.Name()); ok && !born.Before(l.since.Add(-time.Second)) && !l.rejected[e.Name()] {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // the milliseconds have the same number of digits
	for _, name := range names {
		if _, pid, _ := logName(name); !descends(pid, l.child) {
			l.rejected[name] = true
			continue
		}
		if l.file, err = os.Open(filepath.Join(l.dir, name)); err == nil {
			return true
		}
		l.file = nil
	}
	return false
}

// logName reads the start and the pid of a process out of the name of its log.
func logName(name string) (born time.Time, pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, "process-")
	rest, isLog := strings.CutSuffix(rest, ".log")
	ms, id, two := strings.Cut(rest, "-")
	if !ok || !isLog || !two {
		return time.Time{}, 0, false
	}
	at, err := strconv.ParseInt(ms, 10, 64)
	pid, err2 := strconv.Atoi(id)
	if err != nil || err2 != nil || pid <= 0 {
		return time.Time{}, 0, false
	}
	return time.UnixMilli(at), pid, true
}

func (l *clientLog) close() { l.file.Close() }
