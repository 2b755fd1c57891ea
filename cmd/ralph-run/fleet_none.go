//go:build noredis

package main

import "github.com/ralph-run/ralph-run/breaker"

const placeRule = "want a path: this build is without Redis"

func isFleet(string) bool { return false }

func openFleet(_ settings, url string, _ breaker.Options) (*state, error) {
	return nil, checkPlace(url)
}
