package main

import "context"

func shimmed(arg0 string) (string, bool) { return "", false }

func (p *program) shim(ctx context.Context, client string, args []string) error { return nil }
