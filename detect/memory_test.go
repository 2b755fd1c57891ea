package detect

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// memoryLimit is what a Detector may keep, whatever it is fed.
const memoryLimit = 1 << 20

// floods are what would fill a detector that is not bounded: begin, then unit
// over and over until so much was fed.
var floods = []struct {
	name, begin, unit string
	size              int
}{
	{"a line without end", "", "x", 100 << 20},
	{"JSON in one line", `{"type":"tool.result","data":[`, `{"a":"rate limit","b":[1,2,{"c":"x"}]},`, 100 << 20},
	{"a limit on every line", "", "You've hit your rate limit\n", 2 << 20},
	{"errors that go on", "", "Error: 429 Too Many Requests {\n", 1 << 20},
	{"objects that go on", "", "{\n  \"error\": {\n", 1 << 20},
	{"redraws", "", "\x1b[2K\x1b[1A\x1b[2K\x1b[G⠋ Thinking…\r\n\x1b[2m╭───╮\x1b[22m\r\n  error: rate limit\r\n", 8 << 20},
	{"redraws far to the right", "", "\x1b[A\x1b[999Cx", 128 << 10},
	{"rows in any order", "", "\x1b[5;1H" + strings.Repeat("y", 4000) + "\x1b[100;1H" + strings.Repeat("z", 4000) + "\x1b[3A\r", 8 << 20},
	{"long rows, erased", "", strings.Repeat("y", 9000) + "\x1b[2K\r\n", 8 << 20},
	{"long rows of a window", "\x1b[A", strings.Repeat("y", 30000) + "\r\n\x1b[3A\x1b[3B", 8 << 20},
	{"a title without end", "\x1b]0;", "rate limit ", 8 << 20},
}

// TestMemory feeds all streams of a detector at once and asks it what stands.
func TestMemory(t *testing.T) {
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) {
			streams := []Stream{Stdout, Stderr, Terminal, Log}
			flood := func(size int) *Detector {
				d := New(Options{Prompt: strings.Repeat("a line of the prompt\n", 10000)})
				piece := bytes.Repeat([]byte(f.unit), (32<<10)/len(f.unit)+1)
				for _, id := range streams {
					d.Feed(id, []byte(f.begin))
				}
				for fed := 0; fed < size; fed += len(piece) {
					d.Feed(streams[fed/len(piece)%len(streams)], piece)
				}
				d.Standing(recordedNow)
				return d
			}
			flood(256 << 10) // what the package needs once
			before := heap()
			d := flood(f.size)
			if kept := int(heap()) - int(before); kept > memoryLimit {
				t.Errorf("the detector keeps %d bytes, want at most %d", kept, memoryLimit)
			} else {
				t.Logf("%d bytes", kept)
			}
			runtime.KeepAlive(d)
		})
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
