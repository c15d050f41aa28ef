// Command pause is the process that keeps the namespaces of a pod. It sleeps until it is asked to end, and reaps processes whose
// parent ended.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	children := make(chan os.Signal, 16)
	signal.Notify(children, syscall.SIGCHLD)
	for {
		select {
		case <-ends:
			return
		case <-children:
			reap()
		}
	}
}

// reap collects all processes that ended. One signal may be for several of them.
func reap() {
	for {
		if id, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); id <= 0 || err != nil {
			return
		}
	}
}
