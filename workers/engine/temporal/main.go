// Command engine is Temporal as a home runs it: the server on a file and the
// Web UI, reachable only with certificates of that home. It is built over the
// modules that go.mod pins.
package main

import (
	"fmt"
	"os"
	"syscall"

	ui "github.com/temporalio/ui-server/v2/server/version"
	"go.temporal.io/server/common/headers"

	// Keeps the driver at the version that Temporal was tested with.
	_ "modernc.org/sqlite"
	// For machines without a time zone database.
	_ "time/tzdata"
)

// version is the one of the Temporal CLI whose modules this is built over; set by the build.
var version = "0.0.0"

const usage = "usage: engine --version | certificates --folder DIR | backup --from FILE --out FILE | serve --help"

func main() {
	// The database, the sockets and the keys are the user's own.
	syscall.Umask(0o077)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(usage)
	}
	switch args[0] {
	case "--version":
		fmt.Printf("provisioning-engine version %s (Server %s, UI %s)\n", version, headers.ServerVersion, ui.UIVersion)
		return nil
	case "certificates":
		return certificates(args[1:])
	case "backup":
		return backup(args[1:])
	case "serve":
		return serve(args[1:])
	}
	return fmt.Errorf("unknown command %q; %s", args[0], usage)
}
