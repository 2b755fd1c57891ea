package redisstore

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// DefaultKey is the key of a URL that names none.
const DefaultKey = "ralph-run"

// IsURL reports whether a state is named by a URL that [Open] reads, and not by
// the path of a file.
func IsURL(state string) bool {
	scheme, _, ok := strings.Cut(state, "://")
	switch strings.ToLower(scheme) {
	case "redis", "rediss", "unix":
		return ok
	}
	return false
}

// Redact returns a state's name without anything secret: of a URL, the scheme,
// the hosts, the database and the key.
func Redact(state string) string {
	if !IsURL(state) {
		return state
	}
	u, err := url.Parse(state)
	if err != nil {
		scheme, _, _ := strings.Cut(state, "://")
		return scheme + "://…"
	}
	return redacted(u)
}

// redacted keeps what is known to hold no secret. The rest is dropped: a
// password may stand in the query too.
func redacted(u *url.URL) string {
	q, shown := u.Query(), url.Values{}
	for _, name := range []string{"key", "addr", "master_name", "db"} {
		if len(q[name]) > 0 {
			shown[name] = q[name]
		}
	}
	host, path := u.Host, u.Path
	if !strings.EqualFold(u.Scheme, "unix") {
		host = cmp.Or(host, "localhost")
		if _, err := strconv.Atoi(strings.TrimPrefix(path, "/")); err != nil {
			path = ""
		}
	}
	return (&url.URL{Scheme: u.Scheme, Host: host, Path: path, RawQuery: shown.Encode()}).String()
}

// A target is what a URL says: which server, how to log in, and which key.
type target struct {
	key   string
	shown string // the URL without secrets
	opts  redis.UniversalOptions
	kind  kind
}

// A kind is how a server is found.
type kind int

const (
	single kind = iota
	sentinel
	cluster
)

// own are the parameters that are ours and not go-redis's.
type own struct {
	key, ca, cert, certKey, passwordFile string
	cluster                              bool
}

// errURL never wraps a cause: those of url.Parse and go-redis quote the URL, and
// what they take for a port or an option may be a piece of the password.
var errURL = errors.New("read redis URL: want redis://[[user]:password@]host:port/db?key=name, rediss:// or unix://, with special characters of the password percent-encoded")

// parse reads a URL as go-redis does, with a few parameters of our own.
func parse(raw string) (*target, error) {
	u, err := url.Parse(raw)
	if err != nil || !IsURL(raw) {
		return nil, errURL
	}
	t := &target{shown: redacted(u)}
	o, rest := takeOwn(u)
	t.key = o.key
	t.kind = kindOf(u, o)
	if err := t.read(rest); err != nil {
		return nil, explain(u, err)
	}
	if err := t.secure(o); err != nil {
		return nil, err
	}
	return t, nil
}

// takeOwn takes our parameters out of the URL and returns what is left for
// go-redis.
func takeOwn(u *url.URL) (own, string) {
	q, rest := u.Query(), *u
	take := func(name string) string {
		v := q.Get(name)
		q.Del(name)
		return v
	}
	o := own{
		key: take("key"), ca: take("ca"), cert: take("cert"), certKey: take("cert_key"),
		passwordFile: take("password_file"), cluster: take("cluster") == "true",
	}
	if o.key == "" {
		o.key = DefaultKey
	}
	rest.RawQuery = q.Encode()
	return o, rest.String()
}

// kindOf tells how the servers are found: a master's name means sentinels, more
// addresses mean a cluster. A cluster with one address says so.
func kindOf(u *url.URL, o own) kind {
	switch q := u.Query(); {
	case q.Get("master_name") != "":
		return sentinel
	case o.cluster || q.Has("addr"):
		return cluster
	}
	return single
}

// read keeps who and where from go-redis's reading of the URL. Its options of
// pools, retries and timeouts are read and not used: see tune.
func (t *target) read(rest string) error {
	switch t.kind {
	case sentinel:
		o, err := redis.ParseFailoverURL(rest)
		if err != nil {
			return err
		}
		t.opts = redis.UniversalOptions{
			Addrs: o.SentinelAddrs, MasterName: o.MasterName, DB: o.DB, TLSConfig: o.TLSConfig,
			Username: o.Username, Password: o.Password, Protocol: o.Protocol, ClientName: o.ClientName,
			SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword,
		}
	case cluster:
		o, err := redis.ParseClusterURL(rest)
		if err != nil {
			return err
		}
		t.opts = redis.UniversalOptions{
			Addrs: o.Addrs, IsClusterMode: true, TLSConfig: o.TLSConfig,
			Username: o.Username, Password: o.Password, Protocol: o.Protocol, ClientName: o.ClientName,
		}
	default:
		o, err := redis.ParseURL(rest)
		if err != nil {
			return err
		}
		t.opts = redis.UniversalOptions{
			Addrs: []string{o.Addr}, DB: o.DB, TLSConfig: o.TLSConfig,
			Username: o.Username, Password: o.Password, Protocol: o.Protocol, ClientName: o.ClientName,
		}
	}
	return nil
}

// explain names the option that go-redis does not know, where that cannot be a
// piece of a password.
func explain(u *url.URL, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "redis: unexpected option: ")
	if ok && isOption(name) && !strings.Contains(u.RawQuery, "@") {
		return fmt.Errorf("read redis URL: unknown option %q", name)
	}
	return errURL
}

func (t *target) secure(o own) error {
	if o.passwordFile != "" {
		password, err := os.ReadFile(o.passwordFile)
		if err != nil {
			return fmt.Errorf("read redis password: %w", err)
		}
		t.opts.Password = strings.TrimRight(string(password), "\r\n")
	}
	return useCertificates(t.opts.TLSConfig, o)
}

// isOption reports a name of an option's form.
func isOption(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return len(name) > 1 && len(name) <= 40 && strings.Trim(name, letters) == ""
}

// connect returns a client for one short invocation: no retries of go-redis's
// own (a write whose answer was lost must not be repeated blindly), one
// connection that is not trusted after half a minute's rest, and nothing sent
// but our commands.
func (t *target) connect(timeout time.Duration) redis.UniversalClient {
	o := t.opts
	o.MaxRetries, o.DialerRetries = -1, 1
	o.ContextTimeoutEnabled = true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.PoolSize, o.PipelinePoolSize = 4, -1
	o.ConnMaxIdleTime = 30 * time.Second
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewUniversalClient(&o)
}
