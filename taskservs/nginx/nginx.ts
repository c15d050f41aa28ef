import {
  checkFirst,
  debian,
  defineTaskserv,
  type Endpoint,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  file,
  type Step,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { type NginxConfig, nginxConfig } from './nginx-config.js';
import { serverBlocks } from './server-blocks.js';

const CONF = '/etc/nginx/conf.d/provisioning.conf';
const DEFAULT_SITE = '/etc/nginx/sites-enabled/default';
const READS = [CONF, DEFAULT_SITE, '/etc/nginx/nginx.conf'];

/** Web server and reverse proxy. */
export const nginx = defineTaskserv({
  name: 'nginx',
  category: 'load-balancing',
  description: 'Web server and reverse proxy.',
  versions: { default: '1.22', supported: ['1.22'], source: 'debian' },
  supports: { os: ['debian'] },
  config: nginxConfig,
  endpoints,
  uses: () => [],
  facts: (config) => ({
    package: debian('nginx'),
    common: debian('nginx-common'),
    conf: file(CONF),
    page: file(`${config.root}/index.html`),
    defaultSite: file(DEFAULT_SITE),
    unit: systemd('nginx', READS),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found) {
    const install = ensurePackage(found.package);
    // Debian enables its default site when the package is new to the host.
    const mayAppear = found.defaultSite.exists || (install.length > 0 && found.common.version === undefined);
    const before: Step[] = [
      ...install,
      ...(mayAppear ? [{ title: 'Disable the default site of nginx', absent: { path: DEFAULT_SITE } }] : []),
      ...(found.page.exists ? [] : [{ title: `Create ${config.root}`, directory: { path: config.root } }]),
      ...ensureFile(found.page, { content: config.page }),
      ...ensureFile(found.conf, { content: serverBlocks(config) }),
    ];
    const change = config.onChange;
    const service = ensureService(found.unit, { state: 'running', enabled: true, change, reads: READS }, before);
    return [...before, ...checkFirst('Check the configuration of nginx', 'nginx -t -q', service)];
  },

  health: (config) => [
    { title: 'nginx serves its page', http: `http://127.0.0.1:${config.port}/` },
    {
      title: 'nginx tells its status',
      http: `http://127.0.0.1:${config.port}${config.statusPath}`,
      expect: 'Active connections',
    },
  ],

  remove: (config, found) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoPackage(found.common),
    ...ensureNoFile(found.conf),
    ...(found.page.is({ content: config.page }) ? ensureNoFile(found.page) : []),
  ],
});

/** The main port is `http`; other ports of sites are `http-NAME` for the first site on them. */
function endpoints({ port, sites }: NginxConfig): Endpoint[] {
  const ports = new Map<number, Endpoint>([[port, { name: 'http', port, path: '/' }]]);
  for (const site of sites) {
    const own = site.port ?? port;
    if (!ports.has(own)) ports.set(own, { name: `http-${site.name}`, port: own, path: '/' });
  }
  return [...ports.values()];
}
