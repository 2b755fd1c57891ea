package redisstore

import (
	"strings"
	"testing"
)

var urlTests = []struct {
	name, url string
	kind      kind
	addrs     string
	key       string
	shown     string
}{
	{"plain", "redis://h", single, "h:6379", "ralph-run", "redis://h"},
	{"password", "redis://:pw@h:7000/3?key=team-a", single, "h:7000", "team-a", "redis://h:7000/3?key=team-a"},
	{"user", "redis://me:pw@h/0", single, "h:6379", "ralph-run", "redis://h/0"},
	{"tls", "rediss://me:pw@h:6380/0?key=k&skip_verify=true", single, "h:6380", "k", "rediss://h:6380/0?key=k"},
	{"unix", "unix://me:pw@/run/redis.sock?db=2&key=k", single, "/run/redis.sock", "k", "unix:///run/redis.sock?db=2&key=k"},
	{"no host", "redis:///1", single, "localhost:6379", "ralph-run", "redis://localhost/1"},
	{"IPv6", "redis://[::1]:7000", single, "[::1]:7000", "ralph-run", "redis://[::1]:7000"},
	{"sentinels", "redis://me:pw@s1:26379/0?master_name=m&addr=s2:26379&key=k", sentinel, "s1:26379 s2:26379", "k",
		"redis://s1:26379/0?addr=s2%3A26379&key=k&master_name=m"},
	{"password behind sentinels", "redis://s1:26379?master_name=m&username=me&password=pw", sentinel, "s1:26379", "ralph-run",
		"redis://s1:26379?master_name=m"},
	{"cluster", "redis://me:pw@n1:7000?addr=n2:7001&key=k", cluster, "n1:7000 n2:7001", "k", "redis://n1:7000?addr=n2%3A7001&key=k"},
	{"cluster of one address", "redis://n1:7000?cluster=true", cluster, "n1:7000", "ralph-run", "redis://n1:7000"},
	{"upper case", "REDIS://h", single, "h:6379", "ralph-run", "redis://h"},
}

func TestParse(t *testing.T) {
	for _, tt := range urlTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(tt.url)
			if err != nil {
				t.Fatalf("parse(%q): %v", tt.url, err)
			}
			if addrs := strings.Join(got.opts.Addrs, " "); got.kind != tt.kind || addrs != tt.addrs {
				t.Errorf("parse(%q) = kind %d of %s, want %d of %s", tt.url, got.kind, addrs, tt.kind, tt.addrs)
			}
			if got.key != tt.key || got.shown != tt.shown {
				t.Errorf("parse(%q) = key %q, shown %q, want %q, %q", tt.url, got.key, got.shown, tt.key, tt.shown)
			}
			login := got.opts.Password + got.opts.SentinelPassword
			if strings.Contains(tt.url, "pw") && login != "pw" {
				t.Errorf("parse(%q): password %q, want pw", tt.url, login)
			}
			if r := Redact(tt.url); r != tt.shown {
				t.Errorf("Redact(%q) = %q, want %q", tt.url, r, tt.shown)
			}
		})
	}
}

// TestParseFaults shows that no message quotes a URL, whatever is wrong with it:
// its parts may be pieces of a password that was not encoded.
func TestParseFaults(t *testing.T) {
	tests := []struct{ name, url, want string }{
		{"slash in the password", "redis://:sec/ret@h", "percent-encoded"},
		{"question mark in the password", "redis://u:1?sec@ret/0", "percent-encoded"},
		{"hash in the password", "redis://:sec#ret@h", "percent-encoded"},
		{"bad port", "redis://:secret@h:port", "percent-encoded"},
		{"bad database", "redis://:secret@h/secret", "percent-encoded"},
		{"bad escape", "redis://:secret%zz@h", "percent-encoded"},
		{"unknown option", "redis://:secret@h?kay=x", `unknown option "kay"`},
		{"no such password file", "redis://h?password_file=/nowhere/file", "/nowhere/file"},
		{"certificate without TLS", "redis://h?ca=/x", "rediss"},
		{"no such CA", "rediss://h?ca=/nowhere/ca", "/nowhere/ca"},
		{"another scheme", "http://:secret@h", "redis://"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.url, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Open = %v, want an error with %q", err, tt.want)
			}
			for _, text := range []string{err.Error(), Redact(tt.url)} {
				if strings.Contains(text, "sec") && IsURL(tt.url) && strings.Contains(tt.url, "sec") {
					t.Errorf("%q shows a piece of the password of %q", text, tt.url)
				}
			}
		})
	}
}

func TestIsURL(t *testing.T) {
	for state, want := range map[string]bool{
		"redis://h": true, "rediss://h": true, "unix:///s": true, "Redis://h": true,
		"redis": false, "redis:/h": false, ".squad/x.json": false, `C:\x`: false, "http://h": false, "": false,
	} {
		if got := IsURL(state); got != want {
			t.Errorf("IsURL(%q) = %v, want %v", state, got, want)
		}
	}
}

// FuzzRedact plants a password where one can stand.
func FuzzRedact(f *testing.F) {
	for _, tt := range urlTests {
		f.Add(tt.url)
	}
	const planted = "Zq9planted"
	f.Fuzz(func(t *testing.T, url string) {
		if strings.Contains(url, planted) || !strings.Contains(url, "://") {
			t.Skip()
		}
		scheme, rest, _ := strings.Cut(url, "://")
		url = scheme + "://:" + planted + "@" + rest
		if !IsURL(url) {
			t.Skip()
		}
		if got := Redact(url); strings.Contains(got, planted) {
			t.Errorf("Redact(%q) = %q", url, got)
		}
		c, err := OpenStore(url, 0)
		if err == nil {
			defer c.Close()
			if strings.Contains(c.String(), planted) {
				t.Errorf("String of %q = %q", url, c.String())
			}
		} else if strings.Contains(err.Error(), planted) {
			t.Errorf("Open(%q): %v", url, err)
		}
	})
}
