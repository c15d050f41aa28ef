package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/server/chasm/lib/activity"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	host        = "127.0.0.1"
	clusterName = "active"
	storeName   = "sqlite-default"
)

// serve runs the server and the Web UI until it is told to end. As Temporal's
// own `server start-dev`, but for who may reach it: mutual TLS and an authorizer,
// no HTTP API, no metrics and no profiles on the network.
func serve(args []string) error {
	o, err := readOptions(args)
	if err != nil {
		return err
	}
	in, err := newInternal()
	if err != nil {
		return err
	}
	conf, err := o.serverConfig(in)
	if err != nil {
		return err
	}
	gate := &authorizer{namespace: o.namespace, internal: in.self.certificate}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range conf.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(fmt.Sprintf("%s:%d", host, service.RPC.GRPCPort))
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(conf),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: o.logLevel, Format: "json"}))),
		temporal.WithAuthorizer(gate),
		temporal.WithClaimMapper(gate.mapper),
		temporal.WithDynamicConfigClient(o.dynamicConfig),
	)
	if err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	webUI, err := serveWebUI(o)
	if err != nil {
		return err
	}
	defer webUI.Close()
	if err := server.Start(); err != nil {
		return err
	}
	<-ended
	return server.Stop()
}

func (o *options) serverConfig(in *internal) (*config.Config, error) {
	sql, err := o.store()
	if err != nil {
		return nil, err
	}
	tls, err := mutualTLS(o.certificates, in)
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("%s:%d", host, o.port)
	conf := &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: host},
			TLS:        *tls,
		},
		Persistence: config.Persistence{
			DefaultStore:     storeName,
			VisibilityStore:  storeName,
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{storeName: {SQL: sql}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address, ClusterID: uuid.NewString()},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: address},
	}
	conf.Archival.History.State = "disabled"
	conf.Archival.Visibility.State = "disabled"
	conf.NamespaceDefaults.Archival.History.State = "disabled"
	conf.NamespaceDefaults.Archival.Visibility.State = "disabled"
	conf.Services = map[string]config.Service{string(primitives.FrontendService): service(o.port)}
	for _, name := range []primitives.ServiceName{primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		conf.Services[string(name)] = service(port)
	}
	return conf, nil
}

// service is one on loopback; without an HTTP port there is no HTTP API.
func service(port int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: host}}
}

// store makes the schema where there is no file yet, and the namespace where it is missing.
func (o *options) store() (*config.SQL, error) {
	sql := &config.SQL{
		PluginName:        sqliteplugin.PluginName,
		DatabaseName:      o.database,
		ConnectAttributes: map[string]string{"mode": "rwc"},
	}
	for name, value := range o.pragmas {
		sql.ConnectAttributes[name] = value
	}
	if _, err := os.Stat(o.database); errors.Is(err, fs.ErrNotExist) {
		if err := sqlite.SetupSchema(sql); err != nil {
			return nil, fmt.Errorf("cannot make the schema: %w", err)
		}
	}
	namespace, err := sqlite.NewNamespaceConfig(clusterName, o.namespace, false, o.searchAttributes)
	if err != nil {
		return nil, err
	}
	if err := sqlite.CreateNamespaces(sql, namespace); err != nil {
		return nil, fmt.Errorf("cannot make the namespace: %w", err)
	}
	return sql, nil
}

// defaultDynamicConfig is what Temporal's own dev server sets.
func defaultDynamicConfig() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():                        8096,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key():        100,
		dynamicconfig.EnableChasm.Key():                                         true,
		activity.Enabled.Key():                                                  true,
		dynamicconfig.MakeKey("system.forceSearchAttributesCacheRefreshOnRead"): true,
		dynamicconfig.MakeKey("system.forceNexusEndpointRefreshOnRead"):         true,
		dynamicconfig.MakeKey("frontend.persistenceMaxQPS"):                     10000,
		dynamicconfig.MakeKey("history.persistenceMaxQPS"):                      45000,
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", host+":0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
