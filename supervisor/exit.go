package supervisor

// ShellCode is the status that a shell shows for e: 128 + n after signal n.
func (e Exit) ShellCode() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}
