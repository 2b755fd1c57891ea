package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// TTL is how long a key is kept after its last use.
const TTL = 30 * 24 * time.Hour

// refreshBelow is the rest of a TTL at which a mere reader renews it: reading
// costs a write at most once a day.
const refreshBelow = TTL - 24*time.Hour

// look answers with the key's value ("" = none), the server's time and the rest
// of the TTL in ms. It is a script so that in a cluster the time is that of the
// key's own server.
const look = `
local now = redis.call('TIME')
return {redis.call('GET', KEYS[1]) or '', now[1], now[2], redis.call('PTTL', KEYS[1])}
`

// swap writes a document if the key still holds what was read. It compares the
// whole value and no version inside it, so that a person's edit with redis-cli
// counts as a change too. On a mismatch it answers with the value as it is and
// the time, which makes the next try one round trip as well.
//
// ARGV: the value that was read ("" = none), the new value, the TTL in ms. The
// scripts are sent whole each time: EVALSHA would save 300 bytes and cost a round
// trip after every restart of the server.
const swap = `
local now = redis.call('TIME')
local is = redis.call('GET', KEYS[1]) or ''
if is ~= ARGV[1] then return {is, now[1], now[2], 0} end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return {ARGV[2], now[1], now[2], 1}
`

// A snapshot is the key's value at one moment of the server's clock.
type snapshot struct {
	raw string // "" = no such key
	now time.Time
}

// read returns the key's value and the server's time in one round trip.
func (s *Store) read(ctx context.Context) (snapshot, error) {
	seen, left, err := s.eval(ctx, look)
	if rest := time.Duration(left) * time.Millisecond; err == nil && left >= 0 && rest < refreshBelow {
		// Its failure is no failure to read: a replica refuses it.
		s.client.PExpire(ctx, s.key, TTL)
	}
	return seen, err
}

// compareAndSwap writes raw if the key still holds what old says. If it does
// not, it returns false and what the key holds now.
func (s *Store) compareAndSwap(ctx context.Context, old snapshot, raw string) (bool, snapshot, error) {
	is, done, err := s.eval(ctx, swap, old.raw, raw, TTL.Milliseconds())
	return done == 1, is, err
}

// eval calls a script that answers with a value, the time in seconds and
// microseconds, and a number.
func (s *Store) eval(ctx context.Context, script string, args ...any) (snapshot, int64, error) {
	v, err := s.client.Eval(ctx, script, []string{s.key}, args...).Slice()
	if err != nil {
		return snapshot{}, 0, err
	}
	if len(v) == 4 {
		raw, ok := v[0].(string)
		number, okNumber := v[3].(int64)
		var sec, us int64
		_, err := fmt.Sscan(fmt.Sprint(v[1], " ", v[2]), &sec, &us)
		if ok && okNumber && err == nil {
			return snapshot{raw, time.Unix(sec, us*1000).UTC()}, number, nil
		}
	}
	return snapshot{}, 0, errors.New("redis answered a script with something else")
}
