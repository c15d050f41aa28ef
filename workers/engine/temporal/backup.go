package main

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

// How long a lock of the server's is waited for, in milliseconds.
const busyTimeout = "30000"

// backup copies the database of a home into a new file, as it is at one moment,
// while a server may be writing to it: readers of SQLite's write-ahead log stop
// no writer. What the copy has is what a crash at that moment would have left.
//
// Who ends a server that nobody knows of looks for its --db-filename: this is
// none, and calls the file otherwise.
func backup(args []string) error {
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	database := flags.String("from", "", "file of the state")
	out := flags.String("out", "", "file to make; it must not be there")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *database == "" || *out == "" {
		return errors.New("--from or --out is missing")
	}
	// SQLite would make an empty database of a name that is not there, and writes into an empty file that is.
	if _, err := os.Stat(*database); err != nil {
		return err
	}
	if _, err := os.Lstat(*out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", *out, fs.ErrExist)
	}
	place := url.URL{Scheme: "file", OmitHost: true, Path: *database, RawQuery: "mode=rw&_pragma=busy_timeout(" + busyTimeout + ")"}
	db, err := sql.Open("sqlite", place.String())
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("vacuum into ?", *out); err != nil {
		return errors.Join(err, os.Remove(*out))
	}
	return synced(*out)
}

// synced sees that the file outlives a crash of the machine.
func synced(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
