//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

// cmdSignal fails: outside Unix there are no signals to send.
func cmdSignal(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no signals here") }
