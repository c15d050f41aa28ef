// Package iterator stands in for the iterators of Google's clients, none of which is part of this engine.
package iterator

import "errors"

var Done = errors.New("no more items in iterator")
