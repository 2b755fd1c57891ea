//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestWrapper04Descriptors: the child has 0, 1 and 2 and what the caller meant
// for it, such as the 5 here.
func TestWrapper04Descriptors(t *testing.T) {
	const fds = " kid fds 57</dev/null | cat"
	want := shell(t, fds) // those that the caller of the tests left open are in both
	for _, mode := range []string{"auto", "always"} {
		if got := shell(t, "rr -pty "+mode+fds); got != want {
			t.Errorf("--pty %s: the child has the descriptors %q, want %q", mode, got, want)
		}
		if got := shell(t, "echo x | rr -pty "+mode+fds); got != want {
			t.Errorf("--pty %s, a piped stdin: the child has the descriptors %q, want %q", mode, got, want)
		}
	}
	p := interactiveShell(t)
	p.type_("kid fds 57</dev/null\r")
	p.expect("/dev/null\r\n")
	want = p.expect("\r\n")
	p.expect("PROMPT>")
	p.type_("rr kid fds 57</dev/null\r")
	p.expect("/dev/null\r\n")
	if got := p.expect("\r\n"); got != want {
		t.Errorf("under a shell: the child has the descriptors %q, want %q", got, want)
	}
}

func TestWrapper09NotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		if err := os.WriteFile(dir+"/"+name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	plain := write("plain", "echo", 0o644)
	binary := write("binary", "\x01\x00\x02\x00", 0o755)
	script := write("script", "echo no shebang; exit 6", 0o755)
	lost := write("lost", "#!/no/such/interpreter\n", 0o755)
	for _, tt := range []struct {
		name, command string
		status        int
		line          string // "" = the command runs
	}{
		{"bare name", "no-such-command", 127, "rr: run no-such-command: command not found\n"},
		{"path", "./no-such-command", 127, "rr: run ./no-such-command: no such file or directory\n"},
		{"empty name", "''", 127, "rr: run : command not found\n"},
		{"not executable", plain, 126, "rr: run " + plain + ": permission denied\n"},
		{"not executable, in PATH", "PATH=" + dir + ":$PATH; plain", 126, "rr: run plain: permission denied\n"},
		{"a folder", dir, 126, "rr: run " + dir + ": is a directory\n"},
		{"wrong format", binary, 126, "rr: run " + binary + ": exec format error\n"},
		{"no interpreter", lost, 127, "rr: run " + lost + ": no such file or directory\n"},
		{"script without #!", script, 6, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, command, ok := strings.Cut(tt.command, "; ")
			if !ok {
				set, command = ":", set
			}
			got := shell(t, set+"; rr "+command+" 2>&1; echo $?")
			want := tt.line + fmt.Sprintln(tt.status)
			if tt.line == "" {
				want = "no shebang\n" + want
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestNotStartedUnderAShell: the monitor reports the same.
func TestNotStartedUnderAShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	os.WriteFile(dir+"/binary", []byte("\x01\x00"), 0o755)
	p := interactiveShell(t)
	p.type_("rr " + dir + "/binary; echo status''=$?\r")
	p.expect("exec format error")
	if got := p.expectInt("status"); got != 126 {
		t.Errorf("status %d, want 126", got)
	}
}

// TestWrapper24Surroundings: all else that a process inherits.
func TestWrapper24Surroundings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const show = "env | grep -v ^RALPH_RUN | grep -v ^COPILOT_MODEL | grep -v ^_= | grep -v ^SHLVL= | sort; pwd; umask; ulimit -a"
	setup := "cd " + dir + "; umask 027; ulimit -n 300; ulimit -c 0; export LANG=C LC_ALL=C TZ=Asia/Tokyo WEIRD='a\nb=c'; "
	want := shell(t, setup+"sh -c '"+show+"'")
	for _, mode := range []string{"auto", "always"} {
		if got := shell(t, setup+"rr -pty "+mode+" sh -c '"+show+"' | cat"); got != want {
			t.Errorf("--pty %s: got\n%s\nwant\n%s", mode, got, want)
		}
	}
}
