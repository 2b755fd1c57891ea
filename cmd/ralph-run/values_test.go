package main

import (
	"testing"
	"time"
)

var durationTests = []struct {
	in   string
	want time.Duration
	bad  bool
}{
	{in: "30s", want: 30 * time.Second},
	{in: "10m", want: 10 * time.Minute},
	{in: "1h30m", want: 90 * time.Minute},
	{in: "0", want: 0},
	{in: "2d", want: 48 * time.Hour},
	{in: "1d12h", want: 36 * time.Hour},
	{in: "36500d", want: 36500 * 24 * time.Hour},
	{in: "10", bad: true},
	{in: "", bad: true},
	{in: "d", bad: true},
	{in: "-1s", bad: true},
	{in: "-1d", bad: true},
	{in: "36501d", bad: true},
	{in: "1d-48h", bad: true},
	{in: "999999999999h", bad: true},
	{in: "soon", bad: true},
}

func TestParseDuration(t *testing.T) {
	for _, tt := range durationTests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := parseDuration(tt.in)
			if got != tt.want && !tt.bad || (err != nil) != tt.bad {
				t.Errorf("parseDuration(%q) = %v, %v; want %v, error %t", tt.in, got, err, tt.want, tt.bad)
			}
		})
	}
}

// FuzzParseDuration holds that what is accepted is never negative.
func FuzzParseDuration(f *testing.F) {
	for _, tt := range durationTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if d, err := parseDuration(in); err == nil && d < 0 {
			t.Errorf("parseDuration(%q) = %v", in, d)
		}
	})
}

func TestShortDuration(t *testing.T) {
	for _, tt := range []struct {
		in   time.Duration
		want string
	}{
		{-time.Second, "0s"},
		{29400 * time.Millisecond, "29s"},
		{59600 * time.Millisecond, "1m"},
		{59*time.Minute + 40*time.Second, "1h00m"},
		{90 * time.Minute, "1h30m"},
		{47*time.Hour + 59*time.Minute + 40*time.Second, "2d00h"},
		{58 * time.Hour, "2d10h"},
	} {
		if got := shortDuration(tt.in); got != tt.want {
			t.Errorf("shortDuration(%v) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2026, 3, 18, 10, 0, 0, 0, time.Local)
	for _, in := range []string{
		"2026-03-18T10:00:00", "2026-03-18 10:00:00", "2026-03-18 10:00", "2026-03-18T10:00",
		want.Format(time.RFC3339), want.UTC().Format(time.RFC3339Nano),
	} {
		if got, err := parseTime(in); !got.Equal(want) {
			t.Errorf("parseTime(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "10:00", "2026-13-01", "now"} {
		if got, err := parseTime(in); err == nil {
			t.Errorf("parseTime(%q) = %v, want an error", in, got)
		}
	}
}
