//go:build !noredis

package main

import (
	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/breaker/redisstore"
)

const placeRule = "want a path, or a URL that begins with redis, rediss or unix"

func isFleet(place string) bool { return redisstore.IsURL(place) }

// openFleet opens the circuit that a URL names. What has to be kept on this
// machine stands where the state file would.
func openFleet(s settings, url string, opts breaker.Options) (*state, error) {
	local, err := localPlace()
	if err != nil {
		return nil, err
	}
	fleet, err := redisstore.Open(url, redisstore.Options{Options: opts, Timeout: s.stateTimeout, Local: local})
	if err != nil {
		return nil, usageErrorf("--state: %v", err)
	}
	return &state{
		place: redisstore.Redact(url), store: fleet.Store(), records: newRecorder(local),
		circuit: fleet, fleet: fleet,
	}, nil
}
