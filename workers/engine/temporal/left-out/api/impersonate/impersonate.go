// Package impersonate stands in for Google's credentials of other accounts, for which this engine has no use.
package impersonate

import (
	"context"
	"errors"

	"golang.org/x/oauth2"
)

type CredentialsConfig struct {
	TargetPrincipal string
	Scopes          []string
	Delegates       []string
}

func CredentialsTokenSource(context.Context, CredentialsConfig, ...any) (oauth2.TokenSource, error) {
	return nil, errors.New("credentials of Google accounts are not part of this engine")
}
