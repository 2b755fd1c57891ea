//go:build !unix

package redistest

// Pause skips the test: nothing here stops a process without ending it.
func (s *Server) Pause() { s.t.Skip("SKIPPED: a server cannot be paused on this system") }

// Resume does nothing.
func (s *Server) Resume() {}
