import {
  debianVersions,
  defineTaskserv,
  type HealthContext,
  type ListenAddress,
  listeningOn,
  MANAGED_FILE_HEADER,
  type OwnFilesFacts,
  packageService,
  sh,
  siteTrees,
} from '../../sdk/index.js';
import { type CaddyConfig, caddyConfig, portOf, type Site } from './caddy-config.js';
import { caddyfile, siteEndpoints, treeOf } from './caddyfile.js';

const CONF = '/etc/caddy/Caddyfile';

const DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
RuntimeDirectory=caddy
RuntimeDirectoryMode=0750
`;

/** The address that it has to wait for at boot, where one of its endpoints listens on one. */
function awaited(config: CaddyConfig, context: HealthContext): ListenAddress {
  const all = [...siteEndpoints(config).map(({ name }) => name), 'metrics'].map((name) => listeningOn('caddy', name, context));
  return all.find((listening) => typeof listening !== 'string') ?? 'loopback';
}

/** Asks for a page of a site, whatever its status: what is behind it may come later. */
function asks(config: CaddyConfig, site: Site): string {
  const port = portOf(config, site);
  const [host = '127.0.0.1'] = site.hosts;
  const url = `${site.tls === 'off' ? 'http' : 'https'}://${host}:${port}/`;
  return sh`curl -sS -k -o /dev/null --max-time 4 --noproxy ${'*'} --resolve ${`${host}:${port}:127.0.0.1`} ${url}`;
}

const service = packageService({
  name: 'caddy',
  category: 'web',
  holds: [],
  description: 'Web server and reverse proxy that gets and renews certificates automatically.',
  versions: debianVersions({ 12: '2.6', 13: '2.6' }),
  supports: { os: ['debian'] },
  after: ['nginx'],
  config: caddyConfig,
  endpoints: (config) => [...siteEndpoints(config), { name: 'metrics', port: config.metricsPort, path: '/metrics' }],
  uses: ({ sites }) => [...new Set(sites.flatMap(({ backend }) => (backend ? [backend.offering] : [])))],
  furtherPackages: ['ca-certificates', 'curl'],
  listens: awaited,
  files: {
    conf: {
      path: CONF,
      content: (config, context) =>
        caddyfile(config, {
          host: context.host,
          peers: context.peers,
          listening: (endpoint) => listeningOn('caddy', endpoint, context),
        }),
      reload: true,
    },
    // The folder of its admin socket.
    dropIn: { path: '/etc/systemd/system/caddy.service.d/provisioning.conf', content: () => DROP_IN },
  },
  // As caddy: it makes its own authority where a site has a certificate of that.
  check: sh`cd / && runuser -u caddy -- env HOME=/var/lib/caddy caddy validate --config ${CONF}`,
  health: (config) => [
    { title: 'caddy tells its metrics', http: `http://127.0.0.1:${config.metricsPort}/metrics`, expect: 'caddy_' },
    ...config.sites.map((site) => ({ title: `caddy answers for ${site.name}`, command: asks(config, site) })),
  ],
});

const trees = siteTrees('caddy', treeOf);
type Facts = ReturnType<typeof service.facts> & OwnFilesFacts;

/** Web server and reverse proxy that sees to its own certificates. */
export const caddy = defineTaskserv<CaddyConfig, Facts>({
  ...service,
  facts: (config, version) => ({ ...service.facts(config, version), ...trees.facts(config.sites) }),
  // The files exist before they are requested. caddy reads them at each request.
  plan: (config, found, context) => [...trees.ensure(config.sites, found), ...service.plan(config, found, context)],
  remove: (config, found) => [...service.remove(config, found), ...trees.remove(found)],
});
