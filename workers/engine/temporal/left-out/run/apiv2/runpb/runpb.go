// Package runpb has the messages that the stand-in of Google Cloud Run takes.
package runpb

import "google.golang.org/protobuf/types/known/fieldmaskpb"

type (
	GetWorkerPoolRequest struct{ Name string }

	UpdateWorkerPoolRequest struct {
		WorkerPool *WorkerPool
		UpdateMask *fieldmaskpb.FieldMask
	}

	WorkerPool struct {
		Name    string
		Scaling *WorkerPoolScaling
	}

	WorkerPoolScaling struct{ ManualInstanceCount *int32 }
)
