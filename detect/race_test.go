//go:build race

package detect

// The race detector slows these tests tenfold, and finds nothing in code that
// starts no goroutine: a race build takes a sample of them. `make test` runs
// them whole without it.
const sampled = 12
