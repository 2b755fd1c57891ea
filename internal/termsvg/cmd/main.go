// Command cmd runs a command on a terminal and draws what it printed:
//
//	go run ./internal/termsvg/cmd -o docs/demo.svg -title "ralph-run" COMMAND [ARG…]
//
// What the command printed is shown at the end.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/ralph-run/ralph-run/internal/termsvg"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "termsvg: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	path := flag.String("o", "", "the file to write")
	title := flag.String("title", "", "the window's title")
	columns := flag.Int("columns", 110, "the terminal's width")
	flag.Parse()
	if *path == "" || flag.NArg() == 0 {
		return fmt.Errorf("use: -o FILE [-title TEXT] [-columns N] COMMAND [ARG…]")
	}
	r, err := termsvg.Record(exec.Command(flag.Arg(0), flag.Args()[1:]...), *columns)
	if r != nil {
		os.Stdout.Write(r.Output)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := termsvg.WriteSVG(&b, r, *title); err != nil {
		return err
	}
	return os.WriteFile(*path, b.Bytes(), 0o644)
}
