// Package redistest starts real Redis servers for tests, each on a free
// loopback port, in its own folder, ended with the test.
package redistest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// RequireEnv names the variable that makes a missing server a failure instead
// of a skipped test.
const RequireEnv = "RALPH_RUN_REQUIRE_REDIS"

// startWithin bounds one start of a server on a loaded machine.
const startWithin = 30 * time.Second

// A Server is one redis-server process, or the place of one that was stopped.
type Server struct {
	t      testing.TB
	binary string
	args   []string
	config []string // a sentinel's
	tls    bool

	Dir  string // where it keeps its data
	Port int

	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd is gone
	output *tail
}

// Start starts a server that keeps no data across restarts unless args say so.
// args are further options, such as "--maxmemory", "1mb".
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, binary: Binary(t), args: args, Dir: t.TempDir()}
	s.startAnywhere()
	t.Cleanup(s.Kill)
	return s
}

// Binary returns the server to test with. Where there is none the test is
// skipped, or fails if RequireEnv is set.
func Binary(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(RequireEnv) != "" {
		t.Fatalf("redis-server is not installed, and %s is set", RequireEnv)
	}
	t.Skip("SKIPPED: redis-server is not installed (Debian: apt-get install redis-server): nothing about Redis was tested")
	return ""
}

// startAnywhere tries free ports until the server has one: another process may
// take a port between the look and the start.
func (s *Server) startAnywhere() {
	s.t.Helper()
	var err error
	for range 5 {
		s.Port = freePort(s.t)
		if err = s.start(); err == nil {
			return
		}
	}
	s.t.Fatalf("start redis-server: %v", err)
}

func (s *Server) start() error {
	port := []string{"--port", fmt.Sprint(s.Port)}
	if s.tls {
		port = []string{"--port", "0", "--tls-port", fmt.Sprint(s.Port)}
	}
	args := slices.Concat(s.config, port, []string{"--bind", "127.0.0.1", "--dir", s.Dir, "--logfile", "", "--daemonize", "no"})
	if s.config == nil {
		args = append(args, "--save", "")
	}
	cmd := exec.Command(s.binary, append(args, s.args...)...)
	endWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	ready := make(chan struct{})
	s.cmd, s.exited, s.output = cmd, make(chan struct{}), &tail{}
	go s.follow(out, ready, s.exited)
	select {
	case <-ready:
		return nil
	case <-s.exited:
		return fmt.Errorf("it ended:\n%s", s.output)
	case <-time.After(startWithin):
		s.Kill()
		return fmt.Errorf("not ready after %s:\n%s", startWithin, s.output)
	}
}

// readyLine is what a server says when it is; a sentinel says another thing.
var readyLine = regexp.MustCompile(`Ready to accept connections|\+monitor master`)

// follow reads the server's log until it ends, and closes ready when the server
// says that it is.
func (s *Server) follow(out io.Reader, ready, exited chan struct{}) {
	cmd, output := s.cmd, s.output
	lines := bufio.NewScanner(out)
	for told := false; lines.Scan(); {
		output.add(lines.Text())
		if !told && readyLine.MatchString(lines.Text()) {
			told = true
			close(ready)
		}
	}
	_ = cmd.Wait()
	close(exited)
}

// Addr returns host:port.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// URL returns the server's URL with a key, and more of the query if any.
func (s *Server) URL(key string, more ...string) string {
	scheme := "redis"
	if s.tls {
		scheme = "rediss"
	}
	return fmt.Sprintf("%s://%s/0?%s", scheme, s.Addr(), strings.Join(append([]string{"key=" + key}, more...), "&"))
}

// Kill ends the server at once, as a crash would. It may be killed already.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.exited
}

// Restart starts the server again on its old port, with the data that its
// options made it keep.
func (s *Server) Restart() {
	s.t.Helper()
	if err := s.start(); err != nil {
		s.t.Fatalf("restart redis-server: %v", err)
	}
}

// Log returns the last lines of the server's log.
func (s *Server) Log() string { return s.output.String() }

// FreeAddr returns a loopback address that nobody listens on.
func FreeAddr(t testing.TB) string { return fmt.Sprintf("127.0.0.1:%d", freePort(t)) }

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// StartTLS starts a server that speaks TLS only, with a certificate of a CA
// made for this test. It returns the CA's file too.
func StartTLS(t testing.TB, args ...string) (*Server, string) {
	t.Helper()
	s := &Server{t: t, binary: Binary(t), Dir: t.TempDir(), tls: true}
	ca := writeCertificates(t, s.Dir)
	s.args = append([]string{
		"--tls-cert-file", filepath.Join(s.Dir, "server.crt"),
		"--tls-key-file", filepath.Join(s.Dir, "server.key"),
		"--tls-ca-cert-file", ca,
		"--tls-auth-clients", "optional",
	}, args...)
	s.startAnywhere()
	t.Cleanup(s.Kill)
	return s, ca
}

// StartSentinel starts a sentinel that watches a master under a name.
func StartSentinel(t testing.TB, name string, master *Server) *Server {
	t.Helper()
	s := &Server{t: t, binary: Binary(t), Dir: t.TempDir()}
	config := filepath.Join(s.Dir, "sentinel.conf")
	monitor := fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 1\n", name, master.Port)
	if err := os.WriteFile(config, []byte(monitor), 0o600); err != nil {
		t.Fatal(err)
	}
	s.config = []string{config, "--sentinel"}
	s.startAnywhere()
	t.Cleanup(s.Kill)
	return s
}

// A tail keeps the last lines of a log.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (l *tail) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.lines = l.lines[max(0, len(l.lines)-20):]
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
