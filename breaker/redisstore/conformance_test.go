package redisstore_test

import (
	"testing"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/storetest"
	"github.com/ralph-run/ralph-run/internal/redistest"
)

func TestConformance(t *testing.T) {
	srv := redistest.Start(t)
	storetest.Run(t, func(t *testing.T, place string) breaker.Store { return openStore(t, srv.URL(place)) })
}
