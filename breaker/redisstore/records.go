package redisstore

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	recordsSuffix = ":records"
	recordField   = "record"
	// keepRecords bounds the stream, about: Redis cuts whole nodes of it.
	keepRecords = 10_000
)

// Append adds records, each one JSON object, to the fleet's.
func (s *Store) Append(ctx context.Context, records ...[]byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, r := range records {
			p.XAdd(ctx, &redis.XAddArgs{
				Stream: s.key + recordsSuffix, MaxLen: keepRecords, Approx: true,
				Values: []any{recordField, r},
			})
		}
		p.PExpire(ctx, s.key+recordsSuffix, TTL)
		return nil
	})
	if err != nil {
		return s.failed("write", err)
	}
	return nil
}

// Records returns the fleet's records that arrived at or after a time, by the
// server's clock, oldest first; the newest most of them.
func (s *Store) Records(ctx context.Context, since time.Time, most int) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	from := "-"
	if !since.IsZero() {
		from = strconv.FormatInt(max(0, since.UnixMilli()), 10)
	}
	found, err := s.client.XRevRangeN(ctx, s.key+recordsSuffix, "+", from, int64(most)).Result()
	if err != nil {
		return nil, s.failed("read", err)
	}
	records := make([][]byte, 0, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		if r, ok := found[i].Values[recordField].(string); ok {
			records = append(records, []byte(r))
		}
	}
	return records, nil
}
