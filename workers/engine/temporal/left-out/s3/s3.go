// Package s3 stands in for the client of Amazon S3, which Temporal archives to if it
// is configured. The engine of a home archives nothing, so this has what Temporal's
// archiver compiles against, and no client.
package s3

import (
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var errLeftOut = errors.New("archival to Amazon S3 is not part of this engine")

type (
	Client  struct{}
	Options struct {
		BaseEndpoint *string
		UsePathStyle bool
	}

	HeadBucketInput  struct{ Bucket *string }
	HeadBucketOutput struct{}
	HeadObjectInput  struct{ Bucket, Key *string }
	HeadObjectOutput struct{}
	GetObjectInput   struct{ Bucket, Key *string }
	GetObjectOutput  struct{ Body io.ReadCloser }
	PutObjectInput   struct {
		Bucket, Key *string
		Body        io.Reader
	}
	PutObjectOutput    struct{}
	ListObjectsV2Input struct {
		Bucket, Prefix, Delimiter, ContinuationToken, StartAfter *string
		MaxKeys                                                  *int32
	}
	ListObjectsV2Output struct {
		CommonPrefixes        []types.CommonPrefix
		Contents              []types.Object
		IsTruncated           *bool
		NextContinuationToken *string
	}
)

// NewFromConfig makes a client that refuses each call.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

func (*Client) HeadBucket(context.Context, *HeadBucketInput, ...func(*Options)) (*HeadBucketOutput, error) {
	return nil, errLeftOut
}

func (*Client) HeadObject(context.Context, *HeadObjectInput, ...func(*Options)) (*HeadObjectOutput, error) {
	return nil, errLeftOut
}

func (*Client) PutObject(context.Context, *PutObjectInput, ...func(*Options)) (*PutObjectOutput, error) {
	return nil, errLeftOut
}

func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, errLeftOut
}

func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, errLeftOut
}
