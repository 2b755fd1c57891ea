package redisstore

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// connectionLost reports a connection that ended: the server went away or closed
// one that had rested too long. What was sent over it may or may not have
// happened.
func connectionLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &n) && n.Timeout()
}
