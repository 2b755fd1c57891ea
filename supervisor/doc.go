// Package supervisor runs a command as if it were started directly, except for
// the model: it asks a circuit breaker for one, puts it into the command line,
// passes output, input, signals and the terminal through, shows the output to a
// detector, and runs the command again with the next model after a limit.
package supervisor
