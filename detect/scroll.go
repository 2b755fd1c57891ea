package detect

// scroll takes the plain lines from at on into the window, below all that it
// holds, and returns where they end.
func (s *screen) scroll(l *lines, at int, to sink) int {
	batch := &to.run.d.batch
	for {
		n, next := 0, at
		for n < len(batch) {
			end, after, ok := l.next(next)
			if !ok || end-next > maxHeld {
				break
			}
			batch[n] = [2]int{next, end}
			n, next = n+1, after
		}
		if n < 2 { // one is written faster
			return at
		}
		s.shift(l.p, batch[:n], to)
		at = next
	}
}

// shift puts lines of a piece below all others. As many leave the window as if
// they came one by one.
func (s *screen) shift(p []byte, lines [][2]int, to sink) {
	held, gone := len(s.rows)-1, s.leave(lines)
	d := dull{to: to, sieve: triggerSieve()}
	d.begin()
	for _, r := range s.rows[:min(gone, held)] {
		d.row(r)
	}
	for _, at := range lines[:max(gone-held, 0)] {
		d.row(p[at[0]:at[1]])
	}
	d.end()
	for range min(gone, held) {
		s.drop(maxRows)
	}
	for _, at := range lines[max(gone-held, 0):] {
		s.lay(p[at[0]:at[1]])
	}
	if n := len(s.spare); n > maxSpares {
		clear(s.spare[maxSpares:])
		s.spare = s.spare[:maxSpares]
	}
}

// lay writes a line into the cursor's row, which is empty and the last, and
// begins the next.
func (s *screen) lay(line []byte) {
	r := &s.rows[s.row]
	*r = append(*r, line...)
	s.size += len(line)
	s.fit(r)
	s.row++
	s.cursor()
}

// leave is how many rows leave the window for lines below all others, the first
// of these lines among them.
func (s *screen) leave(lines [][2]int) (gone int) {
	held, size := len(s.rows)-1, s.size
	if size+lines[len(lines)-1][1]-lines[0][0] <= maxWindow {
		return max(held+len(lines)+1-maxRows, 0)
	}
	for i, at := range lines {
		size += at[1] - at[0]
		for ; held+i+1-gone >= maxRows || size > maxWindow; gone++ {
			if gone < held {
				size -= len(s.rows[gone])
			} else {
				size -= lines[gone-held][1] - lines[gone-held][0]
			}
		}
	}
	return gone
}
