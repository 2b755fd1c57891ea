// Package termsvg makes a picture of a terminal session: it runs a command on a
// pseudo-terminal, keeps what that printed and when, and draws the result as an
// SVG in which every line appears at its own time.
//
// It knows what programs print that write line after line: text, colours and
// tabs. It is no terminal for programs that draw a screen.
package termsvg

import (
	"fmt"
	"os/exec"
	"time"

	"github.com/creack/pty"
)

// A Recording is what a command printed on a terminal.
type Recording struct {
	Columns int
	Output  []byte
	pieces  []piece
}

// A piece is when the output up to an offset had arrived.
type piece struct {
	end int
	at  time.Duration
}

// Record runs a command on a terminal of that many columns, to its end.
func Record(cmd *exec.Cmd, columns int) (*Recording, error) {
	began := time.Now()
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: uint16(columns)})
	if err != nil {
		return nil, fmt.Errorf("start on a terminal: %w", err)
	}
	defer master.Close()
	r := &Recording{Columns: columns}
	buf := make([]byte, 4096)
	for {
		n, err := master.Read(buf)
		r.add(buf[:n], time.Since(began))
		if err != nil {
			break // on Linux the end of a terminal is EIO
		}
	}
	if err := cmd.Wait(); err != nil {
		return r, fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	return r, nil
}

func (r *Recording) add(p []byte, at time.Duration) {
	if len(p) > 0 {
		r.Output = append(r.Output, p...)
		r.pieces = append(r.pieces, piece{len(r.Output), at})
	}
}

// at returns when the byte at an offset had arrived.
func (r *Recording) at(offset int) time.Duration {
	for _, p := range r.pieces {
		if offset < p.end {
			return p.at
		}
	}
	return 0
}
