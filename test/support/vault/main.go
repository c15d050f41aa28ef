// A Vault with nothing but transit, tokens and policies, in memory: unsealed at start.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/builtin/logical/transit"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
	"github.com/hashicorp/vault/version"
)

// registry says that transit is all there is built in.
type registry struct{}

func (registry) Contains(name string, kind consts.PluginType) bool {
	return name == "transit" && (kind == consts.PluginTypeSecrets || kind == consts.PluginTypeUnknown)
}

func (r registry) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	if !r.Contains(name, kind) {
		return nil, false
	}
	return func() (interface{}, error) { return logical.Factory(transit.Factory), nil }, true
}

func (registry) Keys(kind consts.PluginType) []string {
	if kind == consts.PluginTypeSecrets {
		return []string{"transit"}
	}
	return nil
}

func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	logger := log.New(&log.LoggerOptions{Level: log.Error})
	store, err := inmem.NewInmem(nil, logger)
	must(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:        store,
		LogicalBackends: map[string]logical.Factory{"transit": transit.Factory},
		BuiltinRegistry: registry{},
		DisableMlock:    true,
		Logger:          logger,
	})
	must(err)
	ctx := context.Background()
	init, err := core.Initialize(ctx, &vault.InitParams{
		BarrierConfig:  &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
		RecoveryConfig: &vault.SealConfig{},
	})
	must(err)
	_, err = core.Unseal(init.SecretShares[0])
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	if len(os.Args) == 3 {
		pair, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
		must(err)
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}})
	}
	fmt.Printf("%s %s %s\n", listener.Addr(), init.RootToken, version.GetVersion().VersionNumber())
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}})
	must(http.Serve(listener, handler))
}
