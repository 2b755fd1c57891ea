package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// TTL is how long a key is kept after its last use.
const TTL = 30 * 24 * time.Hour

// refreshBelow is the rest of a TTL at which a mere reader renews it: reading
// costs a write at most once a day.
const refreshBelow = TTL - 24*time.Hour

// swap writes a document if the key still holds what was read. It compares the
// whole value and no version inside it, so that a person's edit with redis-cli
// counts as a change too. On a mismatch it answers with the value as it is and
// the time, which makes the next try one round trip as well.
//
// KEYS[1] the key; ARGV: the value that was read ("" = none), the new value, the
// TTL in ms. It is sent whole each time: EVALSHA would save 400 bytes and cost a round trip
// after every restart of the server.
const swap = `
local now = redis.call('TIME')
local is = redis.call('GET', KEYS[1]) or ''
if is ~= ARGV[1] then return {0, is, now[1], now[2]} end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return {1, ARGV[2], now[1], now[2]}
`

// A snapshot is the key's value at one moment of the server's clock.
type snapshot struct {
	raw string // "" = no such key
	now time.Time
}

// read returns the key's value and the server's time in one round trip.
func (s *Store) read(ctx context.Context) (snapshot, error) {
	var get *redis.StringCmd
	var ttl *redis.DurationCmd
	var clock *redis.TimeCmd
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		get, ttl, clock = p.Get(ctx, s.key), p.PTTL(ctx, s.key), p.Time(ctx)
		return nil
	})
	if err != nil && err != redis.Nil {
		return snapshot{}, err
	}
	if err := clock.Err(); err != nil {
		return snapshot{}, err
	}
	if left := ttl.Val(); left > 0 && left < refreshBelow {
		// Its failure is no failure to read: a replica refuses it.
		s.client.PExpire(ctx, s.key, TTL)
	}
	return snapshot{get.Val(), clock.Val().UTC()}, nil
}

// compareAndSwap writes raw if the key still holds what old says. If it does
// not, it returns false and what the key holds now.
func (s *Store) compareAndSwap(ctx context.Context, old snapshot, raw string) (bool, snapshot, error) {
	v, err := s.client.Eval(ctx, swap, []string{s.key}, old.raw, raw, TTL.Milliseconds()).Slice()
	if err != nil {
		return false, snapshot{}, err
	}
	return parseSwap(v)
}

func parseSwap(v []any) (bool, snapshot, error) {
	if len(v) == 4 {
		done, ok0 := v[0].(int64)
		raw, ok1 := v[1].(string)
		seconds, ok2 := v[2].(string)
		micros, ok3 := v[3].(string)
		var sec, us int64
		_, err := fmt.Sscan(seconds+" "+micros, &sec, &us)
		if ok0 && ok1 && ok2 && ok3 && err == nil {
			return done == 1, snapshot{raw, time.Unix(sec, us*1000).UTC()}, nil
		}
	}
	return false, snapshot{}, fmt.Errorf("unexpected answer from redis: %d values", len(v))
}
