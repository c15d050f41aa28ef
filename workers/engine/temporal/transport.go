package main

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/server/common/config"
)

const internalName = "internal"

// refreshInterval is how soon a renewed certificate of the server is used.
const refreshInterval = time.Hour

// internal is how the services of this process know each other: a certificate of
// an authority of its own. The keys are never written anywhere and end with the
// process, so that nobody else can speak to history, matching and workers, which
// listen on loopback and ask no authorizer.
type internal struct {
	authority *x509.Certificate
	self      *identity
}

func newInternal() (*internal, error) {
	authority, err := newAuthority("provisioning internal", authorityLifetime)
	if err != nil {
		return nil, err
	}
	self, err := issue(authority, &x509.Certificate{
		Subject:     pkix.Name{Organization: []string{"provisioning"}, CommonName: internalName},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{internalName},
	}, authorityLifetime)
	if err != nil {
		return nil, err
	}
	return &internal{authority: authority.certificate, self: self}, nil
}

// mutualTLS lets in who has a certificate of the home at the frontend, and this
// very process alone everywhere else.
func mutualTLS(folder string, in *internal) (*config.RootTLS, error) {
	authority, err := os.ReadFile(filepath.Join(folder, "ca.pem"))
	if err != nil {
		return nil, err
	}
	key, err := in.self.keyPEM()
	if err != nil {
		return nil, err
	}
	insiders := base64.StdEncoding.EncodeToString((&identity{certificate: in.authority}).certificatePEM())
	selfCert := base64.StdEncoding.EncodeToString(in.self.certificatePEM())
	selfKey := base64.StdEncoding.EncodeToString(key)
	home := base64.StdEncoding.EncodeToString(authority)
	server := filepath.Join(folder, serverName+".pem")
	return &config.RootTLS{
		Internode: config.GroupTLS{
			Server: config.ServerTLS{
				CertData: selfCert, KeyData: selfKey,
				RequireClientAuth: true, ClientCAData: []string{insiders},
			},
			Client: config.ClientTLS{ServerName: internalName, RootCAData: []string{insiders}},
		},
		Frontend: config.GroupTLS{
			Server: config.ServerTLS{
				CertFile: server, KeyFile: server,
				RequireClientAuth: true, ClientCAData: []string{home, insiders},
			},
		},
		SystemWorker: config.WorkerTLS{
			CertData: selfCert, KeyData: selfKey,
			Client: config.ClientTLS{ServerName: "localhost", RootCAData: []string{home}},
		},
		RefreshInterval: refreshInterval,
	}, nil
}
