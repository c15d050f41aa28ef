package main

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The certificates of a home, each a file NAME.pem with its key beside it in the
// same file. A client's name is its role: see authorizer.go.
const (
	authorityName = "authority"
	serverName    = "server"
	clientName    = "client"
	webUIName     = "web-ui"
)

const (
	day               = 24 * time.Hour
	authorityLifetime = 3650 * day
	lifetime          = 730 * day
)

// certificates makes the authority of a home and what it signs, and renews what
// ends soon. What is still good stays as it is, so repeating it changes nothing.
func certificates(args []string) error {
	flags := flag.NewFlagSet("certificates", flag.ContinueOnError)
	folder := flags.String("folder", "", "where they are kept; made with mode 0700")
	within := flags.Duration("renew-within", 180*day, "renew what ends sooner than this")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *folder == "" {
		return errors.New("--folder is missing")
	}
	if err := os.MkdirAll(*folder, 0o700); err != nil {
		return err
	}
	// It may have been made by hand.
	if err := os.Chmod(*folder, 0o700); err != nil {
		return err
	}
	until := time.Now().Add(*within)
	// What it signs must not outlive it.
	authority, err := readIdentity(*folder, authorityName)
	if err != nil || authority.certificate.NotAfter.Before(until.Add(lifetime)) {
		if authority, err = newAuthority("provisioning", authorityLifetime); err != nil {
			return err
		}
		if err := authority.write(*folder, authorityName); err != nil {
			return err
		}
	}
	// Clients get it without its key.
	if err := replaceFile(filepath.Join(*folder, "ca.pem"), authority.certificatePEM()); err != nil {
		return err
	}
	for _, name := range []string{serverName, clientName, webUIName} {
		known, err := readIdentity(*folder, name)
		if err == nil && known.certificate.CheckSignatureFrom(authority.certificate) == nil && known.certificate.NotAfter.After(until) {
			continue
		}
		made, err := authority.sign(name, name == serverName, lifetime)
		if err != nil {
			return err
		}
		if err := made.write(*folder, name); err != nil {
			return err
		}
	}
	return nil
}

func readIdentity(folder, name string) (*identity, error) {
	text, err := os.ReadFile(filepath.Join(folder, name+".pem"))
	if err != nil {
		return nil, err
	}
	return parseIdentity(text)
}

func parseIdentity(text []byte) (*identity, error) {
	found := &identity{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var err error
		switch block.Type {
		case "CERTIFICATE":
			found.certificate, err = x509.ParseCertificate(block.Bytes)
		case "PRIVATE KEY":
			var key any
			if key, err = x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
				found.key, _ = key.(*ecdsa.PrivateKey)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if found.certificate == nil || found.key == nil {
		return nil, errors.New("not a certificate with its key")
	}
	if !found.key.PublicKey.Equal(found.certificate.PublicKey) {
		return nil, errors.New("the key is not the certificate's")
	}
	return found, nil
}

func (i *identity) write(folder, name string) error {
	key, err := i.keyPEM()
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(folder, name+".pem"), append(i.certificatePEM(), key...))
}

// replaceFile renames into place, so that a reader never sees half of it.
func replaceFile(path string, content []byte) error {
	draft := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(draft, content, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, path)
}
