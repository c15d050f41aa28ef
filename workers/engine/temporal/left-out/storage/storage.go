// Package storage stands in for the client of Google Cloud Storage, which Temporal
// archives to if it is configured. The engine of a home archives nothing, so this
// has what Temporal's archiver compiles against, and no client.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

var errLeftOut = errors.New("archival to Google Cloud Storage is not part of this engine")

type (
	Client         struct{}
	BucketHandle   struct{}
	ObjectHandle   struct{}
	ObjectIterator struct{}
	Reader         struct{}
	Writer         struct{}
	BucketAttrs    struct{}
	ObjectAttrs    struct{ Name string }
	Query          struct{ Prefix string }
)

// NewClient is refused, so that nothing below is reached.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errLeftOut }

func (*Client) Bucket(string) *BucketHandle { return nil }

func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error)     { return nil, errLeftOut }
func (*BucketHandle) Object(string) *ObjectHandle                     { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return nil }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error)     { return nil, errLeftOut }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)      { return nil, errLeftOut }
func (*ObjectHandle) NewWriter(context.Context) *Writer               { return nil }
func (*ObjectIterator) Next() (*ObjectAttrs, error)                   { return nil, errLeftOut }
func (*Reader) Read([]byte) (int, error)                              { return 0, errLeftOut }
func (*Reader) Close() error                                          { return errLeftOut }
func (*Writer) Write([]byte) (int, error)                             { return 0, errLeftOut }
func (*Writer) Close() error                                          { return errLeftOut }
func (*Writer) CloseWithError(error) error                            { return errLeftOut }
