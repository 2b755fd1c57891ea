package breaker

// A Document is the whole state: what the state file holds. The breaker's
// helper completes it; this is its place.
type Document struct{}
