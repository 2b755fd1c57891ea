//go:build unix

package supervisor

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/zap"
)

// runIn runs a command in this process, by the real run loop.
func runIn(t *testing.T, cfg Config, command ...string) Result {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, f := range []**os.File{&cfg.Stdin, &cfg.Stdout, &cfg.Stderr} {
		if *f == nil {
			*f = null
		}
	}
	cfg.Command, cfg.Env, cfg.Logger = command, os.Environ(), zap.NewNop()
	cfg.Circuit = &anyModel{renewEvery: time.Hour}
	res, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Run(%q): %v", command, err)
	}
	return res
}

// An outlet is one of our own outputs that a test reads: a pipe or a terminal.
type outlet struct {
	file *os.File // what Run gets
	from *os.File
	done chan struct{}
	all  bytes.Buffer
}

// newOutlet opens an outlet that keeps all that is written to it.
func newOutlet(t *testing.T, terminal bool) *outlet {
	t.Helper()
	o := &outlet{}
	o.open(t, terminal, &o.all)
	return o
}

// open begins to read the outlet, into to.
func (o *outlet) open(t *testing.T, terminal bool, to io.Writer) {
	t.Helper()
	var err error
	if terminal {
		o.from, o.file, err = newTerminal()
	} else {
		o.from, o.file, err = os.Pipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	o.done = make(chan struct{})
	go func() {
		defer close(o.done)
		io.Copy(to, struct{ io.Reader }{o.from}) // a pty ends with EIO
		o.from.Close()
	}()
}

// close ends the outlet and returns all that was written to it.
func (o *outlet) close() []byte {
	o.file.Close()
	<-o.done
	return o.all.Bytes()
}
