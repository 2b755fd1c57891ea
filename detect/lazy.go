package detect

import (
	"regexp"
	"sync"
)

// lazy is a pattern that is compiled when it is first needed. Most runs need
// none, and the start of every run would pay for all.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
