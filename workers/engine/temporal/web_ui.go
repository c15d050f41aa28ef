package main

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

// serveWebUI serves Temporal's Web UI on a socket of the user's own, read-only
// and with a certificate that may do no more. `provisioning ui` stands before it.
func serveWebUI(o *options) (*http.Server, error) {
	certificate := filepath.Join(o.certificates, webUIName+".pem")
	provider, err := config.NewConfigProviderWithRefresh(&config.Config{
		TemporalGRPCAddress: fmt.Sprintf("%s:%d", host, o.port),
		TLS: config.TLS{
			CaFile:                 filepath.Join(o.certificates, "ca.pem"),
			CertFile:               certificate,
			KeyFile:                certificate,
			ServerName:             "localhost",
			EnableHostVerification: true,
		},
		EnableUI:            true,
		DefaultNamespace:    o.namespace,
		DisableWriteActions: true,
		DisableNewsFetch:    true,
		CORS:                config.CORS{CookieInsecure: true},
		HideLogs:            true,
	})
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, provider, nil); err != nil {
		return nil, err
	}
	assets, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	local, err := fs.Sub(assets, "local")
	if err != nil {
		return nil, err
	}
	if err := route.SetUIRoutes(e, "", local); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "")

	// One that was killed leaves its socket behind.
	if err := os.Remove(o.webUISocket); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	listener, err := net.Listen("unix", o.webUISocket)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return server, nil
}
