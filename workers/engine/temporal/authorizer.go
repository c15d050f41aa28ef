package main

import (
	"context"
	"crypto/x509"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/server/common/api"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
)

// authorizer decides by certificate what may be called. The name in a
// certificate is a role, since the home's authority signs nothing else:
//
//	internal  this process: everything
//	client    worker and commands: WorkflowService in the home's namespace, and its search attributes
//	web-ui    what is read-only in the home's namespace
//
// Everybody else is refused, what is unknown too.
type authorizer struct {
	namespace string
	internal  *x509.Certificate
}

var (
	_ authorization.Authorizer  = (*authorizer)(nil)
	_ authorization.ClaimMapper = (*authorizer)(nil)
)

var (
	allow = authorization.Result{Decision: authorization.DecisionAllow}
	deny  = authorization.Result{Decision: authorization.DecisionDeny}
)

// Of the OperatorService, what `up` needs.
var operations = map[string]bool{"AddSearchAttributes": true, "ListSearchAttributes": true}

// The life of namespaces is `up`'s, which makes them before the server listens.
var forbidden = map[string]bool{"RegisterNamespace": true, "DeprecateNamespace": true}

func (a *authorizer) mapper(*config.Config) authorization.ClaimMapper { return a }

// GetClaims names the role of a verified certificate.
func (a *authorizer) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	certificate := authorization.PeerCert(info.TLSConnection)
	if certificate == nil {
		return &authorization.Claims{}, nil
	}
	role := certificate.Subject.CommonName
	// A name alone does not make anybody this process.
	if certificate.Equal(a.internal) {
		return &authorization.Claims{Subject: internalName, System: authorization.RoleAdmin, AuthType: "mtls"}, nil
	}
	if role == internalName {
		role = ""
	}
	return &authorization.Claims{Subject: role, AuthType: "mtls"}, nil
}

func (a *authorizer) Authorize(_ context.Context, claims *authorization.Claims, target *authorization.CallTarget) (authorization.Result, error) {
	if authorization.IsHealthCheckAPI(target.APIName) {
		return allow, nil
	}
	if claims == nil || !a.may(claims.Subject, target) {
		return deny, nil
	}
	granted := allow
	granted.Principal = &commonpb.Principal{Type: claims.AuthType, Name: claims.Subject}
	return granted, nil
}

func (a *authorizer) may(role string, target *authorization.CallTarget) bool {
	method := api.MethodName(target.APIName)
	access := api.GetMethodMetadata(target.APIName)
	reads := access.Access == api.AccessReadOnly
	here := access.Scope == api.ScopeNamespace && target.Namespace == a.namespace
	// `up` tells a namespace that is missing from one that is refused.
	everywhere := reads && (access.Scope == api.ScopeCluster || method == "DescribeNamespace")
	workflows := strings.HasPrefix(target.APIName, api.WorkflowServicePrefix)
	operator := strings.HasPrefix(target.APIName, api.OperatorServicePrefix) && operations[method]
	switch role {
	case internalName:
		return true
	case clientName:
		return (workflows && !forbidden[method] && (here || everywhere)) || (operator && here)
	case webUIName:
		return reads && (workflows || operator) && (here || everywhere)
	}
	return false
}
