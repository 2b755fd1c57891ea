package detect

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds how deep a JSON value is read.
const maxDepth = 12

// A jsonReader walks through one JSON value and shows its scalars with their
// paths. It is lenient: a value that is cut off ends the walk.
type jsonReader struct {
	in   []byte
	path []byte
	each func(path, value []byte, quoted bool)
}

// eachScalar calls each with the path ("data.error.code") and the raw value of
// every scalar in a JSON value. Elements of an array have the array's path.
func eachScalar(in []byte, each func(path, value []byte, quoted bool)) {
	j := jsonReader{in: in, path: make([]byte, 0, 64), each: each}
	j.value(0)
}

func (j *jsonReader) value(depth int) bool {
	j.blank()
	if len(j.in) == 0 || depth > maxDepth {
		return false
	}
	switch j.in[0] {
	case '{':
		return j.members(depth, '}')
	case '[':
		return j.members(depth, ']')
	case '"':
		s, ok := j.quoted()
		j.each(j.path, s, true)
		return ok
	}
	n := bytes.IndexAny(j.in, ",}] \t\r\n")
	if n < 0 {
		n = len(j.in)
	}
	if n == 0 {
		return false
	}
	j.each(j.path, j.in[:n], false)
	j.in = j.in[n:]
	return true
}

// members reads an object or an array up to end.
func (j *jsonReader) members(depth int, end byte) bool {
	j.in = j.in[1:]
	outer := len(j.path)
	for {
		j.blank()
		if len(j.in) == 0 {
			return false
		}
		if c := j.in[0]; c == end || c == ',' {
			if j.in = j.in[1:]; c == end {
				return true
			}
			continue
		}
		if end == '}' && !j.key() {
			return false
		}
		if !j.value(depth + 1) {
			return false
		}
		j.path = j.path[:outer]
	}
}

func (j *jsonReader) key() bool {
	if j.in[0] != '"' {
		return false
	}
	k, ok := j.quoted()
	if j.blank(); !ok || len(j.in) == 0 || j.in[0] != ':' {
		return false
	}
	j.in = j.in[1:]
	if len(j.path) > 0 {
		j.path = append(j.path, '.')
	}
	j.path = append(j.path, k[:min(len(k), 64)]...)
	return true
}

func (j *jsonReader) blank() { j.in = bytes.TrimLeft(j.in, " \t\r\n") }

// quoted takes a string off the input, still escaped, without its quotes.
func (j *jsonReader) quoted() ([]byte, bool) {
	for i := 1; i < len(j.in); i++ {
		n := bytes.IndexAny(j.in[i:], `"\`)
		if n < 0 {
			break
		}
		if i += n; j.in[i] == '"' {
			s := j.in[1:i]
			j.in = j.in[i+1:]
			return s, true
		}
		i++ // what is escaped
	}
	s := j.in[1:]
	j.in = nil
	return s, false
}

// unescape returns the text of a raw JSON string, at most limit bytes of it.
func unescape(raw []byte, limit int) string {
	out := make([]byte, 0, min(len(raw), limit))
	for i := 0; i < len(raw) && len(out) < limit; i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'n', 'r', 't', 'b', 'f':
			out = append(out, ' ')
		case 'u':
			if i+4 < len(raw) {
				if r, err := strconv.ParseUint(string(raw[i+1:i+5]), 16, 32); err == nil {
					out = utf8.AppendRune(out, rune(r))
				}
				i += 4
			}
		default:
			out = append(out, raw[i])
		}
	}
	return string(out)
}
