// Package option stands in for the options of Google's clients, none of which is part of this engine.
package option

import "golang.org/x/oauth2"

type ClientOption any

func WithTokenSource(oauth2.TokenSource) ClientOption { return nil }
