import {
  addressesOf,
  challengePort,
  checkFirst,
  type DrainTarget,
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  ensureWait,
  fact,
  file,
  type HealthCheck,
  inputError,
  listeningOn,
  missingCertificates,
  type PlanContext,
  type Step,
  sh,
  systemd,
  temporaryCertificate,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { type Backend, backends, CERTIFICATE, HEALTH_AUTHORITY, haproxyCfg } from './haproxy-cfg.js';
import { type HaproxyConfig, haproxyConfig } from './haproxy-config.js';
import {
  BACKEND_UP,
  drainServer,
  keepServer,
  LIST_BEHIND,
  readBehind,
  readyServer,
  readyServerNow,
  serverUsed,
} from './haproxy-runtime.js';

/** Takes the servers of these names back into service, by the ports that they have now where these are known. */
const returnToService = (
  names: readonly string[],
  ports: ReadonlyMap<string, number> = new Map(),
  titleOf = (name: string) => `Put ${name} back into service`,
): Step[] => names.map((name) => ({ title: titleOf(name), run: readyServer(name, ports.get(name)), undo: ':' }));

const CONF = '/etc/haproxy/haproxy.cfg';

/** Files whose change needs a reload. The taskserv acme reloads haproxy after a renewal. */
const readsOf = ({ tls, healthAuthority }: HaproxyConfig): string[] => [
  CONF,
  ...(tls?.certificate ? [CERTIFICATE] : []),
  ...(healthAuthority ? [HEALTH_AUTHORITY] : []),
];

/** Names of haproxy's servers that are the target. */
function behind(config: HaproxyConfig, target: DrainTarget, { host, peers }: Omit<PlanContext, 'version'>): string[] {
  const { taskserv } = config.backend;
  // The check of such backends tells which one serves. Others are down, and the next one may be any of them.
  if (config.healthOffering !== undefined) return [];
  if (target.taskserv !== undefined && target.taskserv !== taskserv) return [];
  const own = peers.filter(({ server }) => server === target.server);
  return backends(config, host, own).map(({ name }) => name);
}

/**
 * Reports whether haproxy has only this service behind it. Such a service stays in service while it is changed. A
 * machine that is changed serves nothing then in any case.
 */
function isAlone(config: HaproxyConfig, target: DrainTarget, context: Omit<PlanContext, 'version'>): boolean {
  const own = behind(config, target, context);
  return target.taskserv !== undefined && backends(config, context.host, context.peers).every(({ name }) => own.includes(name));
}

/** @throws inputError `bad-definition` where a backend has no endpoint that answers the check */
function requireCheck({ backend, healthOffering }: HaproxyConfig, servers: readonly Backend[], host: string): void {
  const without = healthOffering === undefined ? undefined : servers.find(({ checkPort }) => checkPort === undefined);
  if (!without) return;
  throw inputError({
    code: 'bad-definition',
    what: `check ${without.name}`,
    on: host,
    why: `the taskserv ${backend.taskserv} has no endpoint "${healthOffering}"`,
    hint: `set healthOffering to an endpoint of ${backend.taskserv}`,
  });
}

/** With nothing behind it, saying so is all that it can do. */
function passesOn({ port, tls, healthPath, mode }: HaproxyConfig, count: number): HealthCheck {
  if (mode === 'tcp') {
    return count === 0
      ? { title: 'haproxy accepts connections', tcp: port }
      : { title: 'haproxy passes connections on', command: BACKEND_UP, expect: 'UP' };
  }
  const title = 'haproxy passes requests on';
  const http = tls ? `https://127.0.0.1:${tls.port}${healthPath}` : `http://127.0.0.1:${port}${healthPath}`;
  return { title, http, ...(count === 0 && { status: 503 }) };
}

/** Load balancer in front of everything in the definition that offers an endpoint. */
export const haproxy = defineTaskserv({
  name: 'haproxy',
  category: 'load-balancing',
  holds: [],
  description: 'Load balancer for endpoints on servers of the definition.',
  versions: debianVersions({ 12: '2.6', 13: '3.0' }, { package: 'haproxy' }),
  supports: { os: ['debian'] },
  // They are behind it: it is healthy only once they are.
  after: ['nginx', 'app', 'patroni'],
  config: haproxyConfig,
  uses: ({ backend, healthOffering, tls }) => [
    backend.offering,
    ...(healthOffering === undefined ? [] : [healthOffering]),
    ...(tls?.acme ? ['acme-http'] : []),
  ],
  endpoints: (config) => [
    config.mode === 'tcp' ? { name: 'tcp', port: config.port } : { name: 'http', port: config.port, path: '/' },
    ...(config.tls ? [{ name: 'https', port: config.tls.port }] : []),
    { name: 'stats', port: config.stats.port, path: config.stats.path, local: true },
    ...(config.metrics.enabled ? [{ name: 'metrics', port: config.metrics.port, path: '/metrics' }] : []),
  ],
  facts: (config) => ({
    package: debian('haproxy'),
    conf: file(CONF),
    certificate: file(CERTIFICATE),
    healthAuthority: file(HEALTH_AUTHORITY),
    openssl: debian('openssl'),
    missing: missingCertificates(config.tls?.acme ?? []),
    wait: file(waitFile('haproxy')),
    unit: systemd('haproxy', readsOf(config)),
    behind: fact(LIST_BEHIND, ({ stdout }) => readBehind(stdout), readBehind('')),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, context) {
    const { host, peers, moved = [] } = context;
    requireCheck(config, backends(config, host, peers), host.name);
    const listening = config.metrics.enabled ? listeningOn('haproxy', 'metrics', context) : 'loopback';
    const { tls } = config;
    const challenges = tls?.acme ? challengePort(host.name, peers) : undefined;
    const content = haproxyCfg(config, backends(config, host, peers), { metricsOn: addressesOf(listening), challenges });
    const temporary = tls?.acme ? found.missing.map(temporaryCertificate) : [];
    const before = [
      ...ensurePackage(found.package),
      ...(temporary.length > 0 ? ensurePackage(found.openssl) : []),
      ...temporary,
      ...(tls?.certificate && tls.key
        ? ensureFile(found.certificate, { content: [tls.certificate, '\n', tls.key, '\n'], mode: '0600' })
        : ensureNoFile(found.certificate)),
      ...(config.healthAuthority
        ? ensureFile(found.healthAuthority, { content: [config.healthAuthority, '\n'] })
        : ensureNoFile(found.healthAuthority)),
      ...ensureFile(found.conf, { content }),
      ...ensureWait(found.wait, 'haproxy', listening),
    ];
    const wanted = { state: 'running' as const, enabled: true, change: 'reload' as const, reads: readsOf(config) };
    const needed = ensureService(found.unit, wanted, before);
    // Names of /etc/hosts are resolved at the start, and at a reload.
    const isMoved = found.behind.moved.length > 0 || backends(config, host, peers).some(({ address }) => moved.includes(address));
    const service: Step[] =
      needed.length === 0 && isMoved
        ? [{ title: 'Reload haproxy: servers behind it have other addresses', service: { name: 'haproxy', ...wanted } }]
        : needed;
    // An operation that was cut off may have left one out; a new start of haproxy forgets that anyway.
    const left = service.length === 0 ? returnToService(found.behind.drained) : [];
    return [...before, ...checkFirst('Check the configuration of haproxy', sh`haproxy -c -f ${CONF}`, service), ...left];
  },

  drain: (config, target, context) =>
    behind(config, target, context).map((name) =>
      isAlone(config, target, context)
        ? { title: `Keep ${name} in service: nothing else is behind haproxy`, run: keepServer(name), undo: ':' }
        : { title: `Take ${name} out of service`, run: drainServer(name, config.drainTimeout), undo: readyServerNow(name) },
    ),
  undrain(config, target, context) {
    const { host, returns = [] } = context;
    const own = returns.filter(({ server }) => server === target.server);
    const ports = new Map(backends(config, host, own).map(({ name, port }) => [name, port]));
    const kept = isAlone(config, target, context) ? (name: string) => `Check that haproxy finds ${name} up` : undefined;
    return returnToService(behind(config, target, context), ports, kept);
  },

  health: (config, { host, peers, changed = [] }) => [
    passesOn(config, backends(config, host, peers).length),
    { title: 'haproxy tells its statistics', http: `http://127.0.0.1:${config.stats.port}${config.stats.path}`, expect: 'HAProxy' },
    ...backends(
      config,
      host,
      config.healthOffering !== undefined
        ? []
        : peers.filter((peer) => changed.some(({ server, taskserv }) => server === peer.server && taskserv === peer.taskserv)),
    ).map(({ name }) => ({ title: `haproxy uses ${name}`, command: serverUsed(name) })),
  ],

  remove: (_, found) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.conf),
    ...ensureNoFile(found.certificate),
    ...ensureNoFile(found.healthAuthority),
    ...ensureNoFile(found.wait),
  ],
});
