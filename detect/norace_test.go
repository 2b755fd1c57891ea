//go:build !race

package detect

const sampled = 1
