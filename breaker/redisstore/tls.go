package redisstore

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// useCertificates adds the CA and the client's certificate that the URL names.
func useCertificates(c *tls.Config, o own) error {
	if o.ca == "" && o.cert == "" && o.certKey == "" {
		return nil
	}
	if c == nil {
		return errors.New("read redis URL: ca, cert and cert_key need rediss://")
	}
	if o.ca != "" {
		pem, err := os.ReadFile(o.ca)
		if err != nil {
			return fmt.Errorf("read redis CA: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("read redis CA: no certificate in %s", o.ca)
		}
	}
	if o.cert == "" && o.certKey == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(o.cert, o.certKey)
	if err != nil {
		return fmt.Errorf("read redis client certificate: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}
