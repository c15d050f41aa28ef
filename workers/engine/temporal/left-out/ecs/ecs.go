// Package ecs stands in for the client of Amazon ECS, which Temporal can ask for
// workers. A home starts its worker itself.
package ecs

import (
	"context"
	"errors"
)

var errLeftOut = errors.New("workers of Amazon ECS are not part of this engine")

type (
	Client  struct{}
	Options struct{}

	DescribeServicesInput struct {
		Cluster  *string
		Services []string
	}
	DescribeServicesOutput struct {
		Services []struct{ Status *string }
		Failures []struct{ Reason *string }
	}
	UpdateServiceInput struct {
		Cluster, Service *string
		DesiredCount     *int32
	}
	UpdateServiceOutput struct{}
)

// NewFromConfig makes a client that refuses each call.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

func (*Client) DescribeServices(context.Context, *DescribeServicesInput, ...func(*Options)) (*DescribeServicesOutput, error) {
	return nil, errLeftOut
}

func (*Client) UpdateService(context.Context, *UpdateServiceInput, ...func(*Options)) (*UpdateServiceOutput, error) {
	return nil, errLeftOut
}
