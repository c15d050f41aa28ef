package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/dynamicconfig"
)

// options of serve. They are listed for every user of the machine to see, so
// none of them is secret: keys come from the folder of certificates.
type options struct {
	database         string
	certificates     string
	webUISocket      string
	namespace        string
	port             int
	logLevel         string
	pragmas          map[string]string
	dynamicConfig    dynamicconfig.StaticClient
	searchAttributes map[string]enums.IndexedValueType
}

func readOptions(args []string) (*options, error) {
	o := &options{
		pragmas:          map[string]string{},
		searchAttributes: map[string]enums.IndexedValueType{},
		dynamicConfig:    defaultDynamicConfig(),
	}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.database, "db-filename", "", "file of the state")
	flags.StringVar(&o.certificates, "certificates", "", "folder of the certificates")
	flags.StringVar(&o.webUISocket, "ui-socket", "", "socket of the Web UI")
	flags.StringVar(&o.namespace, "namespace", "", "namespace, made where it is missing")
	flags.IntVar(&o.port, "port", 0, "port of the gRPC frontend on loopback")
	flags.StringVar(&o.logLevel, "log-level", "warn", "least level of what is logged")
	flags.Func("sqlite-pragma", "NAME=VALUE", func(text string) error {
		return pair(text, func(name, value string) error {
			o.pragmas[name] = value
			return nil
		})
	})
	flags.Func("dynamic-config-value", "KEY=JSON", func(text string) error { return pair(text, o.setDynamicConfig) })
	flags.Func("search-attribute", "NAME=TYPE", func(text string) error {
		return pair(text, func(name, value string) error {
			kind, err := enums.IndexedValueTypeFromString(value)
			o.searchAttributes[name] = kind
			return err
		})
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"db-filename": o.database, "certificates": o.certificates, "ui-socket": o.webUISocket, "namespace": o.namespace,
	} {
		if value == "" {
			return nil, fmt.Errorf("--%s is missing", name)
		}
	}
	if o.port < 1 || o.port > 65535 {
		return nil, errors.New("--port is missing, or is no port")
	}
	return o, nil
}

func pair(text string, take func(name, value string) error) error {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not of the form NAME=VALUE", text)
	}
	return take(name, value)
}

func (o *options) setDynamicConfig(key, text string) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	// The server takes an int where it expects one, and no other kind of number.
	if number, ok := value.(json.Number); ok {
		if whole, err := number.Int64(); err == nil {
			value = int(whole)
		} else if value, err = number.Float64(); err != nil {
			return err
		}
	}
	o.dynamicConfig[dynamicconfig.MakeKey(key)] = value
	return nil
}
