// Package types has the values that the stand-in of AWS Lambda takes.
package types

type InvocationType string

const InvocationTypeEvent InvocationType = "Event"
