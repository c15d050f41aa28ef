import type { NginxConfig } from './nginx-config.js';

/** The default server and the sites, as nginx reads them. */
export function serverBlocks(config: NginxConfig): string {
  const blocks = [defaultServer(config), ...config.sites.map((site) => siteServer(site, config.port))];
  const upgrade = config.sites.some(({ proxyTo }) => proxyTo) ? [UPGRADE] : [];
  return `${['# Written by provisioning; changes by hand are taken back.', ...upgrade, ...blocks].join('\n\n')}\n`;
}

const UPGRADE = `map $http_upgrade $provisioning_connection {
    default upgrade;
    '' '';
}`;

function defaultServer({ port, serverName, root, statusPath, maxBodySize }: NginxConfig): string {
  return `server {
    listen ${port} default_server;
    server_name ${serverName};
    root ${root};
    index index.html;
    client_max_body_size ${maxBodySize};
    add_header X-Served-By $hostname always;

    location = ${statusPath} {
        stub_status;
        access_log off;
        allow 127.0.0.1;
        deny all;
    }
}`;
}

function siteServer(site: NginxConfig['sites'][number], mainPort: number): string {
  const head = `    listen ${site.port ?? mainPort};
    server_name ${site.serverName};
    access_log /var/log/nginx/${site.name}.access.log;`;
  if (site.root) return `server {\n${head}\n    root ${site.root};\n    index index.html;\n}`;
  return `server {
${head}

    location / {
        proxy_pass ${site.proxyTo};
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $provisioning_connection;
    }
}`;
}
