import {
  challengePort,
  checkFirst,
  debian,
  debianVersions,
  defineTaskserv,
  type Endpoint,
  ensureContent,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  file,
  type HealthCheck,
  missingCertificates,
  type Step,
  siteTrees,
  systemd,
  temporaryCertificate,
  upstreamVersion,
} from '../../sdk/index.js';
import { type NginxConfig, nginxConfig, PAGE } from './nginx-config.js';
import { GIVEN, serverBlocks, treeOf } from './server-blocks.js';

const CONF = '/etc/nginx/conf.d/provisioning.conf';
const DEFAULT_SITE = '/etc/nginx/sites-enabled/default';

/** Files whose change needs a reload. The taskserv acme reloads nginx after a renewal. */
const readsOf = ({ tls }: NginxConfig): string[] => [
  CONF,
  DEFAULT_SITE,
  '/etc/nginx/nginx.conf',
  ...(tls?.certificate ? [GIVEN.certificate, GIVEN.key] : []),
];

const trees = siteTrees('nginx', treeOf);

/** The certificates of acme that it reads. */
const acmeNames = ({ tls, sites }: NginxConfig): string[] => [
  ...new Set([tls?.acme, ...sites.map(({ acme }) => acme)].filter((name) => name !== undefined)),
];

/** Web server and reverse proxy. */
export const nginx = defineTaskserv({
  name: 'nginx',
  category: 'load-balancing',
  holds: [],
  description: 'Web server and reverse proxy.',
  versions: debianVersions({ 12: '1.22', 13: '1.26' }, { package: 'nginx' }),
  supports: { os: ['debian'] },
  config: nginxConfig,
  endpoints,
  uses: (config) => (acmeNames(config).length > 0 ? ['acme-http'] : []),
  facts: (config) => ({
    package: debian('nginx'),
    common: debian('nginx-common'),
    conf: file(CONF),
    page: file(`${config.root}/index.html`),
    defaultSite: file(DEFAULT_SITE),
    certificate: file(GIVEN.certificate),
    key: file(GIVEN.key),
    openssl: debian('openssl'),
    missing: missingCertificates(acmeNames(config)),
    ...trees.facts(config.sites),
    unit: systemd('nginx', readsOf(config)),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, { host, peers }) {
    const install = ensurePackage(found.package);
    // Debian enables its default site when the package is new to the host.
    const mayAppear = found.defaultSite.exists || (install.length > 0 && found.common.version === undefined);
    const { tls } = config;
    const challenges = acmeNames(config).length > 0 ? challengePort(host.name, peers) : undefined;
    const temporary = acmeNames(config).length > 0 ? found.missing.map(temporaryCertificate) : [];
    const before: Step[] = [
      ...install,
      ...(temporary.length > 0 ? ensurePackage(found.openssl) : []),
      ...temporary,
      ...(tls?.certificate
        ? ensureFile(found.certificate, { content: [tls.certificate, '\n'], mode: '0600' })
        : ensureNoFile(found.certificate)),
      ...(tls?.key ? ensureFile(found.key, { content: [tls.key, '\n'], mode: '0600' }) : ensureNoFile(found.key)),
      ...(mayAppear ? [{ title: 'Disable the default site of nginx', absent: { path: DEFAULT_SITE } }] : []),
      ...(found.page.exists ? [] : [{ title: `Create ${config.root}`, directory: { path: config.root } }]),
      ...(config.page === undefined && found.page.exists ? [] : ensureContent(found.page, config.page ?? PAGE)),
      ...trees.ensure(config.sites, found),
      ...ensureFile(found.conf, { content: serverBlocks(config, { host, peers, challenges }) }),
    ];
    const change = config.onChange;
    const service = ensureService(found.unit, { state: 'running', enabled: true, change, reads: readsOf(config) }, before);
    return [...before, ...checkFirst('Check the configuration of nginx', 'nginx -t -q', service)];
  },

  health: (config) => [
    servesPage(config),
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
    ...ensureNoFile(found.certificate),
    ...ensureNoFile(found.key),
    ...(found.page.content === (config.page ?? PAGE) ? ensureNoFile(found.page) : []),
    ...trees.remove(found),
  ],
});

function servesPage({ port, tls }: NginxConfig): HealthCheck {
  const title = 'nginx serves its page';
  return { title, http: tls ? `https://127.0.0.1:${tls.port}/` : `http://127.0.0.1:${port}/` };
}

const HERE = { loopback: true } as const;

/** The main port is `http`, that of TLS `https`; other ports of sites are `http-NAME` for the first site on them. All listen on all addresses. */
function endpoints({ port, tls, sites }: NginxConfig): Endpoint[] {
  const ports = new Map<number, Endpoint>([[port, { name: 'http', port, path: '/', ...HERE }]]);
  if (tls) ports.set(tls.port, { name: 'https', port: tls.port, ...HERE });
  for (const site of sites) {
    const own = site.port ?? port;
    if (!ports.has(own)) ports.set(own, { name: `http-${site.name}`, port: own, path: '/', ...HERE });
  }
  return [...ports.values()];
}
