// Command ralph-run runs an AI coding CLI under a circuit breaker for its model.
package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(context.Background(), os.Args)) }

func run(ctx context.Context, args []string) int { return 125 }
