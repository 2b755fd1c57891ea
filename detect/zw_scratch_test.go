package detect

import "testing"

func TestZW(t *testing.T) {
	s := `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}`
	m := newMessage(s, "", true)
	a, b := m.read()
	t.Log(m.parts, a, b, m.foreign(), m.limit(), overload.in(m.folded))
	d := New(Options{})
	d.Feed(Stdout, []byte(s+"\n"))
	t.Log(d.run.streams[0].thing, d.run.found, d.run.last)
}
