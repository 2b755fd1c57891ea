package breaker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An object is a JSON object as it was read: its keys in their order. It is
// never changed after that.
type object []member

type member struct {
	key string
	raw json.RawMessage
	// unusable is set where raw was no usable value: what was used instead. As
	// long as that is still the value, raw stays in the file.
	unusable []byte
}

// A rawDocument is what a Document was read from.
type rawDocument struct {
	root, metrics, circuits object
	circuit                 map[string]object
}

// parseObject reads one JSON object. Of two members of one name the last counts.
func parseObject(data []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil {
		return nil, err
	} else if tok != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var o object
	at := map[string]int{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: tok.(string)}
		if err := dec.Decode(&m.raw); err != nil {
			return nil, err
		}
		if i, ok := at[m.key]; ok {
			o[i] = m
			continue
		}
		at[m.key] = len(o)
		o = append(o, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("data after the JSON object")
	}
	return o, nil
}

// find returns the position of a key, as PowerShell looks one up: an exact match
// first, then one that differs in case. It returns -1 if there is none.
func (o object) find(key string) int {
	if i := slices.IndexFunc(o, func(m member) bool { return m.key == key }); i >= 0 {
		return i
	}
	return slices.IndexFunc(o, func(m member) bool { return strings.EqualFold(m.key, key) })
}

func (o object) has(key string) bool { return o.find(key) >= 0 }

// get returns the value of a key without the wrapping in which Windows
// PowerShell saves some arrays and dates; nil if it is missing or null.
func (o object) get(key string) json.RawMessage {
	i := o.find(key)
	if i < 0 {
		return nil
	}
	raw := o[i].raw
	if raw[0] == '{' {
		if inner, err := parseObject(raw); err == nil && inner.has("value") && len(inner) <= 3 {
			raw = inner[inner.find("value")].raw
		}
	}
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// unknown returns the keys that are none of the fields.
func unknown[T any](o object, fields []field[T]) []string {
	known := make(map[int]bool, len(fields))
	for _, f := range fields {
		known[o.find(f.key)] = true
	}
	var keys []string
	for i, m := range o {
		if !known[i] {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// decodeFields reads the known keys of o into v. What cannot be used is told to
// warn, and marked in o.
func decodeFields[T any](o object, fields []field[T], v T, warn func(key, value, problem string)) {
	for _, f := range fields {
		if f.read == nil {
			continue
		}
		raw := o.get(f.key)
		if raw == nil {
			continue
		}
		if problem := f.read(v, raw); problem != "" {
			o[o.find(f.key)].unusable = f.json(v)
			warn(f.key, string(raw), problem)
		}
	}
}

// encodeFields writes v over what was read: known keys in their place with
// their present value, unknown keys as they were, and the missing ones each
// after the known key that comes before it.
func encodeFields[T any](o object, fields []field[T], v T) object {
	out := make(object, 0, len(o)+len(fields))
	known := make(map[int]bool, len(fields))
	for _, f := range fields {
		known[o.find(f.key)] = true
	}
	value := func(f field[T], i int) json.RawMessage {
		now := f.json(v)
		if o[i].unusable != nil && bytes.Equal(now, o[i].unusable) {
			return o[i].raw
		}
		return now
	}
	for i, m := range o {
		if !known[i] {
			out = append(out, m)
			continue
		}
		f := fields[slices.IndexFunc(fields, func(f field[T]) bool { return o.find(f.key) == i })]
		if f.keep == nonzero && f.zero(v) && m.unusable == nil {
			continue
		}
		out = append(out, member{key: m.key, raw: value(f, i)})
	}
	at := 0
	for _, f := range fields {
		if i := out.find(f.key); i >= 0 {
			at = i + 1
		} else if f.keep == always || !f.zero(v) {
			out = slices.Insert(out, at, member{key: f.key, raw: f.json(v)})
			at++
		}
	}
	return out
}

// json returns the object on one line.
func (o object) json() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(marshal(m.key))
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}
