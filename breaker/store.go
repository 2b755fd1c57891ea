package breaker

import (
	"context"
	"time"
)

// A Store keeps one [Document] and lets any number of processes change it.
//
// A Store may be used by many goroutines at once. It never holds a lock between
// two calls. Its own errors are a [*StoreError]; after one whose Op is "read" a
// [Circuit] does not try to write.
type Store interface {
	// View returns the document as it is now, and the store's time. A store
	// that holds nothing yet returns the defaults.
	View(ctx context.Context) (*Document, time.Time, error)

	// Update reads the document, calls change with it and the store's time,
	// and writes the result, as one atomic step. It writes nothing if change
	// returns an error or left the document as it was. change may be called
	// more than once and must not call the store.
	Update(ctx context.Context, change func(d *Document, now time.Time) error) error

	// String names the place, for a person. It never holds a password.
	String() string
}
