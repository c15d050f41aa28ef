// Package types has what the stand-in of Amazon S3 would answer.
package types

type (
	CommonPrefix struct{ Prefix *string }
	Object       struct{ Key *string }
	NoSuchBucket struct{}
	NoSuchKey    struct{}
)

func (*NoSuchBucket) Error() string { return "NoSuchBucket" }
func (*NoSuchKey) Error() string    { return "NoSuchKey" }
