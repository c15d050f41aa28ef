// Package lambda stands in for the client of AWS Lambda, which Temporal can ask for
// workers. A home starts its worker itself.
package lambda

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

var errLeftOut = errors.New("workers of AWS Lambda are not part of this engine")

type (
	Client  struct{}
	Options struct{}

	GetFunctionInput  struct{ FunctionName *string }
	GetFunctionOutput struct{}
	InvokeInput       struct {
		FunctionName   *string
		InvocationType types.InvocationType
	}
	InvokeOutput struct{ FunctionError *string }
)

// NewFromConfig makes a client that refuses each call.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

func (*Client) GetFunction(context.Context, *GetFunctionInput, ...func(*Options)) (*GetFunctionOutput, error) {
	return nil, errLeftOut
}

func (*Client) Invoke(context.Context, *InvokeInput, ...func(*Options)) (*InvokeOutput, error) {
	return nil, errLeftOut
}
