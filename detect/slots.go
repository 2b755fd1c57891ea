package detect

import "hash/maphash"

// seed makes the hashes of one process: texts that would share a slot in every
// run cannot be made up.
var seed = maphash.MakeSeed()

// slots keep a value for each of the texts that were asked for lately. A text,
// known by its hash, has one of two slots that stand side by side, and has to leave
// it to another if it was not asked for since the text in the other one was.
type slots[T any] [512]struct {
	key   uint64
	used  bool // after the one beside it
	value T
}

// find returns what is kept for a key; held reports that it is from before, and
// not the zero value to be filled in.
func (s *slots[T]) find(key uint64) (value *T, held bool) {
	at := key % uint64(len(s)) &^ 1
	one, two := &s[at], &s[at+1]
	if one.key != key && (two.key == key || one.used) {
		one, two = two, one
	}
	if held = one.key == key; !held {
		var zero T
		one.key, one.value = key, zero
	}
	one.used, two.used = true, false
	return &one.value, held
}
