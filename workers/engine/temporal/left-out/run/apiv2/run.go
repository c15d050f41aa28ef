// Package run stands in for the client of Google Cloud Run, which Temporal can ask
// for workers. A home starts its worker itself.
package run

import (
	"context"
	"errors"

	"cloud.google.com/go/run/apiv2/runpb"
	"google.golang.org/api/option"
)

var errLeftOut = errors.New("workers of Google Cloud Run are not part of this engine")

type (
	WorkerPoolsClient         struct{}
	UpdateWorkerPoolOperation struct{}
)

// NewWorkerPoolsClient is refused, so that nothing below is reached.
func NewWorkerPoolsClient(context.Context, ...option.ClientOption) (*WorkerPoolsClient, error) {
	return nil, errLeftOut
}

func (*WorkerPoolsClient) Close() error { return errLeftOut }

func (*WorkerPoolsClient) GetWorkerPool(context.Context, *runpb.GetWorkerPoolRequest) (*runpb.WorkerPool, error) {
	return nil, errLeftOut
}

func (*WorkerPoolsClient) UpdateWorkerPool(context.Context, *runpb.UpdateWorkerPoolRequest) (*UpdateWorkerPoolOperation, error) {
	return nil, errLeftOut
}

func (*UpdateWorkerPoolOperation) Wait(context.Context) (*runpb.WorkerPool, error) {
	return nil, errLeftOut
}
