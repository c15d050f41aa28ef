import { acmeFiles, type HostContext, MANAGED_FILE_HEADER, type Peer, urlAsWritten } from '../../sdk/index.js';
import type { NginxConfig, Site } from './nginx-config.js';
import { listens, plainServer, type Tls, tlsLines } from './tls-lines.js';

/** Files of a certificate that is given. */
export const GIVEN = { certificate: '/etc/nginx/provisioning-certificate.pem', key: '/etc/nginx/provisioning-key.pem' };

/** The server that nginx runs on, and what else there is. */
interface At {
  host: HostContext;
  peers: readonly Peer[];
  /** The port on loopback where the acme of this server answers. */
  challenges?: number | undefined;
}

/** The default server and the sites, as nginx reads them. */
export function serverBlocks(config: NginxConfig, at: At): string {
  const { challenges } = at;
  const { port, serverName, sites, tls } = config;
  const tlsOf = (acme = tls?.acme): Tls | undefined => tls && { ...tls, files: acme ? acmeFiles(acme) : GIVEN, challenges };
  const blocks = [
    ...(tls?.redirect ? [plainServer({ port, isDefault: true, serverName, lines: [status(config)] }, tls, challenges)] : []),
    defaultServer(config, tlsOf()),
    ...sites.flatMap((site) => {
      const own = (site.port ?? port) === port ? tlsOf(site.acme) : undefined;
      const plain = own?.redirect ? [plainServer({ port, serverName: site.serverName, lines: [] }, own, challenges)] : [];
      return [...plain, siteServer(site, port, own, at)];
    }),
  ];
  const upgrade = config.sites.some(({ proxyTo }) => proxyTo) ? [UPGRADE] : [];
  return `${[MANAGED_FILE_HEADER, ...upgrade, ...blocks].join('\n\n')}\n`;
}

const UPGRADE = `map $http_upgrade $provisioning_connection {
    default upgrade;
    '' '';
}`;

const status = ({ statusPath }: NginxConfig): string => `    location = ${statusPath} {
        stub_status;
        access_log off;
        allow 127.0.0.1;
        deny all;
    }`;

function defaultServer(config: NginxConfig, tls: Tls | undefined): string {
  const { port, serverName, root, maxBodySize } = config;
  return `server {
${listens(port, tls, ' default_server')}
    server_name ${serverName};
${tlsLines(tls)}    root ${root};
    index index.html;
    client_max_body_size ${maxBodySize};
    add_header X-Served-By $hostname always;

${status(config)}
}`;
}

function siteServer(site: Site, mainPort: number, tls: Tls | undefined, at: At): string {
  const parts = [
    `${listens(site.port ?? mainPort, tls)}
    server_name ${site.serverName};
${tlsLines(tls)}    access_log /var/log/nginx/${site.name}.access.log;${served(site)}`,
    ...(site.proxyTo === undefined ? [] : [proxied(urlAsWritten(site.proxyTo, at))]),
    // Unchanged: indenting a text of several lines could change its meaning.
    ...(site.directives?.text === undefined ? [] : [`    # The directives of the definition.\n${site.directives.text.trimEnd()}`]),
  ];
  return `server {\n${parts.join('\n\n')}\n}`;
}

function served(site: Site): string {
  const root = site.tree ? treeOf(site) : site.root;
  return root === undefined ? '' : `\n    root ${root};\n    index index.html;`;
}

/** The folder of the files that come with a definition. */
export const treeOf = ({ name }: Pick<Site, 'name'>): string => `/srv/nginx/${name}`;

const proxied = (upstream: string): string => `    location / {
        proxy_pass ${upstream};
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $provisioning_connection;
    }`;
