import {
  addressesOf,
  type Endpoint,
  type HostContext,
  hostPart,
  type ListenAddress,
  listOffered,
  MANAGED_FILE_HEADER,
  type Peer,
  reachedAtPort,
  urlAsWritten,
} from '../../sdk/index.js';
import { type CaddyConfig, portOf, type Site } from './caddy-config.js';

/** The ports of sites, each once. `http` and `https` are the main ones; others are named after the first site on them. */
export function siteEndpoints(config: CaddyConfig): Endpoint[] {
  const ports = new Map<number, Endpoint>();
  const plain = config.sites.some((site) => site.tls !== 'off' || portOf(config, site) === config.port);
  if (plain) ports.set(config.port, { name: 'http', port: config.port, path: '/' });
  for (const site of config.sites) {
    const port = portOf(config, site);
    const scheme = site.tls === 'off' ? 'http' : 'https';
    const name = site.tls !== 'off' && port === config.httpsPort ? 'https' : `${scheme}-${site.name}`;
    if (!ports.has(port)) ports.set(port, { name, port, ...(scheme === 'http' && { path: '/' }) });
  }
  return [...ports.values()];
}

/** The host, its peers, and the listen addresses of the endpoints. */
interface At {
  host: HostContext;
  peers: readonly Peer[];
  listening(endpoint: string): ListenAddress;
}

/** The content of the Caddyfile. */
export function caddyfile(config: CaddyConfig, at: At): string {
  const names = new Map(siteEndpoints(config).map(({ name, port }) => [port, name]));
  const bind = (port: number) => bindLine(at.listening(names.get(port) ?? 'metrics'));
  const blocks = config.sites.flatMap((site) => [
    block(
      addresses(site, portOf(config, site)),
      [...bind(portOf(config, site)), ...tls(site), ...content(config, site, at)],
      site.directives?.text,
    ),
    ...redirect(config, site, bind(config.port)),
  ]);
  const metrics = block([`http://:${config.metricsPort}`], [...bind(config.metricsPort), 'metrics /metrics']);
  return `${MANAGED_FILE_HEADER}\n${[global(config), metrics, ...blocks].join('\n')}`;
}

/** @param further unchanged lines: indenting a text of several lines could change its meaning */
function block(heads: readonly string[], lines: readonly string[], further?: string): string {
  const own = further === undefined ? '' : `\t# The directives of the definition.\n${further.trimEnd()}\n`;
  return `${heads.join(', ')}${heads.length > 0 ? ' ' : ''}{\n${lines.map((line) => `\t${line}\n`).join('')}${own}}\n`;
}

/** The folder of the files that come with a definition. */
export const treeOf = ({ name }: Pick<Site, 'name'>): string => `/srv/caddy/${name}`;

const global = ({ email, acmeDirectory }: CaddyConfig): string =>
  block(
    [],
    [
      // This socket controls caddy. Only root and caddy can connect to it.
      'admin unix//run/caddy/admin.sock',
      // Redirects are written here, so that they listen where `http` does.
      'auto_https disable_redirects',
      'skip_install_trust',
      ...(email ? [`email ${email}`] : []),
      ...(acmeDirectory ? [`acme_ca ${acmeDirectory}`] : []),
      'servers {',
      '\tmetrics',
      // Without HTTP/3, which would open a UDP port for each TCP port.
      '\tprotocols h1 h2',
      '}',
    ],
  );

function bindLine(listening: ListenAddress): string[] {
  const addresses = addressesOf(listening);
  return addresses ? [`bind ${addresses.map(hostPart).join(' ')}`] : [];
}

const addresses = ({ hosts, tls }: Site, port: number): string[] =>
  (hosts.length > 0 ? hosts : ['']).map((host) => `${tls === 'off' ? 'http' : 'https'}://${host}:${port}`);

function tls({ tls }: Site): string[] {
  return tls === 'internal' ? ['tls internal'] : [];
}

/** Sends clients on that ask without TLS, except where another site answers them. */
function redirect(config: CaddyConfig, site: Site, bind: readonly string[]): string[] {
  if (site.tls === 'off') return [];
  const answered = config.sites.filter((one) => one.tls === 'off' && portOf(config, one) === config.port);
  const hosts = site.hosts.filter((host) => !answered.some((one) => one.hosts.includes(host)));
  if (hosts.length === 0) return [];
  const port = portOf(config, site);
  const to = `redir https://{host}${port === 443 ? '' : `:${port}`}{uri} permanent`;
  return [block(addresses({ ...site, hosts, tls: 'off' }, config.port), [...bind, to])];
}

function content(config: CaddyConfig, site: Site, at: At): string[] {
  const root = site.tree ? treeOf(site) : site.root;
  if (root !== undefined) {
    const php = site.phpSocket ? [`php_fastcgi unix/${site.phpSocket}`] : [];
    return [`root * ${root}`, ...php, 'file_server'];
  }
  if (!site.proxyTo && !site.backend) return [];
  const upstreams = site.proxyTo?.map((url) => urlAsWritten(url, at)) ?? backends(config, site, at);
  if (upstreams.length === 0) return ['respond "no server is behind this site" 503'];
  const health = site.healthPath
    ? [`\thealth_uri ${site.healthPath}`, '\thealth_interval 2s', '\thealth_timeout 2s']
    : ['\tfail_duration 10s'];
  return [
    `reverse_proxy ${upstreams.join(' ')} {`,
    `\tlb_policy ${site.balance}`,
    // Another one is asked where one takes no connections.
    '\tlb_try_duration 5s',
    ...health,
    '}',
  ];
}

/** Backends of a site, in the order of the peers, without the server itself. */
function backends(config: CaddyConfig, { backend, ...site }: Site, { host, peers }: At): string[] {
  if (!backend) return [];
  return listOffered(peers, backend.offering)
    .filter(({ taskserv }) => taskserv === backend.taskserv)
    .filter((peer) => !(peer.server === host.name && peer.endpoint.port === portOf(config, site)))
    .filter((peer) => peer.server === host.name || !peer.endpoint.local)
    .map((peer) => `http://${reachedAtPort(peer, host)}`);
}
