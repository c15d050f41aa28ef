// A Vault server with raft storage, as its configuration file says: HashiCorp's own code of storage, seal, HTTP API, tokens,
// policies and key/value secrets. Its command line is only `server -config=FILE`.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	log "github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/command/server"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/physical/raft"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/vault"
)

// registry says that no plugin is built in: the core has key/value secrets of its own.
type registry struct{}

func (registry) Contains(string, consts.PluginType) bool { return false }

func (registry) Get(string, consts.PluginType) (func() (interface{}, error), bool) { return nil, false }

func (registry) Keys(consts.PluginType) []string { return nil }

func (registry) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Unknown, false
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 3 || os.Args[1] != "server" || !strings.HasPrefix(os.Args[2], "-config=") {
		fmt.Fprintln(os.Stderr, "usage: vault server -config=FILE")
		os.Exit(2)
	}
	logger := log.New(&log.LoggerOptions{Level: log.Info})
	config, err := server.LoadConfigFile(strings.TrimPrefix(os.Args[2], "-config="))
	must(err)
	store, err := raft.NewRaftBackend(config.Storage.Config, logger.Named("storage.raft"))
	must(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		RawConfig:       config,
		Physical:        store,
		HAPhysical:      store.(physical.HABackend),
		StorageType:     config.Storage.Type,
		RedirectAddr:    config.Storage.RedirectAddr,
		ClusterAddr:     config.Storage.ClusterAddr,
		ClusterName:     config.ClusterName,
		LogicalBackends: map[string]logical.Factory{},
		BuiltinRegistry: registry{},
		DisableMlock:    true,
		Logger:          logger,
	})
	must(err)
	var listeners []net.Listener
	var clusterAddrs []*net.TCPAddr
	var reloads []func() error
	for _, one := range config.Listeners {
		listener, _, reload, err := server.NewListener(one, os.Stderr, nil)
		must(err)
		if reload != nil {
			reloads = append(reloads, reload)
		}
		listeners = append(listeners, listener)
		addr, err := net.ResolveTCPAddr("tcp", one.ClusterAddress)
		must(err)
		clusterAddrs = append(clusterAddrs, addr)
	}
	core.SetClusterListenerAddrs(clusterAddrs)
	core.SetClusterHandler(vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core:           core,
		ListenerConfig: &configutil.Listener{DisableJSONLimitParsing: true},
	}))
	must(core.InitiateRetryJoin(context.Background()))
	for index, listener := range listeners {
		one := config.Listeners[index]
		one.MaxRequestSize = vaulthttp.DefaultMaxRequestSize
		one.MaxRequestDuration = vault.DefaultMaxRequestDuration
		one.DisableJSONLimitParsing = true
		handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: one})
		go func() { _ = (&http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}).Serve(listener) }()
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	for got := <-stop; got == syscall.SIGHUP; got = <-stop {
		for _, reload := range reloads {
			if err := reload(); err != nil {
				logger.Error("the certificate is not read", "error", err)
			}
		}
	}
	for _, listener := range listeners {
		_ = listener.Close()
	}
	must(core.Shutdown())
}
