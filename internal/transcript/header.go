package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, on machines without a zone database

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	streams  = []string{"stdout", "stderr", "terminal", "log"}
	verdicts = []string{"none", "limit", "overloaded", "unavailable"}
	scopes   = []string{"", "model", "account", "session", "weekly", "unknown"}
	required = []string{"client", "exit", "verdict", "kind", "now", "note"}
)

// readHeader fills c from the lines before the first file.
func (c *Case) readHeader(text string) error {
	c.Zone = time.UTC
	seen := make(map[string]bool)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("header line %q has no colon", line)
		}
		if seen[key] {
			return fmt.Errorf("header %s: given twice", key)
		}
		seen[key] = true
		if err := c.set(key, strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("header %s: %w", key, err)
		}
	}
	for _, key := range required {
		if !seen[key] {
			return fmt.Errorf("header %s: missing", key)
		}
	}
	if seen["reset"] && seen["retry-after"] {
		return errors.New("both reset and retry-after are given")
	}
	return nil
}

// set stores the value of one key.
func (c *Case) set(key, value string) (err error) {
	switch key {
	case "client":
		c.Client = strings.Trim(value, `"`)
	case "exit":
		c.Exit, err = parseExit(value)
	case "verdict":
		c.Verdict, err = oneOf(verdicts, value)
	case "scope":
		c.Scope, err = oneOf(scopes, value)
	case "retry-after":
		c.RetryAfter, err = parseSeconds(value)
	case "reset":
		if c.AnyTime = value == "any"; !c.AnyTime {
			c.Reset, err = parseUTC(value)
		}
	case "now":
		c.Now, err = parseUTC(value)
	case "zone":
		c.Zone, err = time.LoadLocation(value)
	case "kind":
		c.Kind = value
	case "note":
		c.Note = value
	default:
		err = errors.New("unknown key")
	}
	return err
}

func parseExit(s string) (Exit, error) {
	if s == "unknown" {
		return Exit{Unknown: true}, nil
	}
	n, err := strconv.ParseUint(s, 10, 8)
	return Exit{Code: int(n)}, err
}

func parseSeconds(s string) (time.Duration, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	return time.Duration(n) * time.Second, err
}

// parseUTC reads an RFC 3339 time that must be written in UTC.
func parseUTC(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err == nil && !strings.HasSuffix(s, "Z") {
		err = errors.New("time is not in UTC")
	}
	return t, err
}

func oneOf(allowed []string, s string) (string, error) {
	if !slices.Contains(allowed, s) {
		return "", fmt.Errorf("%q is none of %q", s, allowed)
	}
	return s, nil
}

// newPiece reads one file of an archive.
func newPiece(f txtar.File) (Piece, error) {
	name, quoted := strings.CutSuffix(f.Name, ".q")
	if _, err := oneOf(streams, name); err != nil {
		return Piece{}, fmt.Errorf("file %s: %w", f.Name, err)
	}
	p := Piece{Stream: name, Data: f.Data}
	if !quoted {
		return p, nil
	}
	p.Data = nil
	for line := range strings.Lines(string(f.Data)) {
		s, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return Piece{}, fmt.Errorf("file %s: unquote %s: %w", f.Name, strings.TrimSpace(line), err)
		}
		p.Data = append(p.Data, s...)
	}
	return p, nil
}
