import {
  type HostContext,
  listOffered,
  MANAGED_FILE_HEADER,
  type OfferedEndpoint,
  type Peer,
  reachedAtPort,
} from '../../sdk/index.js';
import type { PrometheusConfig } from './prometheus-config.js';
import { type AskedByTls, tlsLines } from './prometheus-tls.js';

interface Own {
  host: HostContext;
  /** The address by which it reaches itself. */
  self: string;
  /** The file of rules, which is there where there are any. */
  rules: string;
}

interface Job {
  name: string;
  path: string;
  tls?: AskedByTls | undefined;
  static: { target: string; labels?: Record<string, string> }[];
}

/** The content of prometheus.yml: one job for each taskserv that offers metrics, itself included, then the extra ones. */
export function prometheusYml(config: PrometheusConfig, at: Own, peers: readonly Peer[]): string {
  const extra = config.targets.map(({ job, targets, path, tls }) => ({
    name: job,
    path,
    tls: tls ? {} : undefined,
    static: targets.map((target) => ({ target })),
  }));
  const taken = new Set(extra.map(({ name }) => name));
  const own = jobsOf(config, at, peers).filter(({ name }) => !taken.has(name.replace(BY_TLS, '')));
  return [
    MANAGED_FILE_HEADER,
    'global:',
    `  scrape_interval: ${config.scrapeInterval}s`,
    `  evaluation_interval: ${config.scrapeInterval}s`,
    ...(config.rules.length > 0 ? [`rule_files: [${JSON.stringify(at.rules)}]`] : []),
    ...alertingLines(config, peers, at),
    'scrape_configs:',
    ...[...own, ...extra].flatMap((job) => jobLines(job, config)),
    '',
  ].join('\n');
}

/** Targets of alerts: all alertmanagers, and each gets all alerts. */
function alertingLines(config: PrometheusConfig, peers: readonly Peer[], at: Own): string[] {
  const found = listOffered(peers, 'alerts').filter((peer) => !peer.endpoint.local || peer.server === at.host.name);
  const plain = found.filter(({ endpoint }) => !endpoint.tls);
  const groups = [plain, ...found.filter(({ endpoint }) => endpoint.tls).map((peer) => [peer])].filter(({ length }) => length > 0);
  if (groups.length === 0) return [];
  return [
    'alerting:',
    '  alertmanagers:',
    ...groups.flatMap((group) => [
      '    - static_configs:',
      `        - targets: ${JSON.stringify(group.map((peer) => reachedAtPort(peer, at.host)))}`,
      ...tlsLines(group[0] && tlsOf(group[0], at), config).map((line) => `      ${line}`),
    ]),
  ];
}

/**
 * Services of the own server are not reached by that server's name. Services with a certificate of acme are not
 * reached by the name of their server either.
 */
function tlsOf({ server, endpoint }: OfferedEndpoint, at: Own): AskedByTls | undefined {
  if (!endpoint.tls) return undefined;
  const serverName = endpoint.serverName ?? (server === at.host.name ? server : undefined);
  return serverName === undefined ? {} : { serverName };
}

/** Suffix of the names of jobs with TLS: a job can expect only one server name. */
function suffixOf({ serverName }: AskedByTls, at: Own): string {
  return serverName === undefined ? '@tls' : serverName === at.host.name ? '@own' : `@${serverName}`;
}
const BY_TLS = /@[^@]+$/;

function jobsOf({ port, tls }: PrometheusConfig, at: Own, peers: readonly Peer[]): Job[] {
  const { host, self } = at;
  const server = host.name;
  const itself = { target: `${self}:${port}`, labels: { instance: `${server}:${port}` } };
  const own = listOffered(peers, 'metrics').find((peer) => peer.server === server && peer.taskserv === 'prometheus');
  const ofItself = { name: 'prometheus', tls: tls && { serverName: own?.endpoint.serverName ?? server } };
  const jobs = new Map<string, Job>([['prometheus /metrics prometheus', { ...ofItself, path: '/metrics', static: [itself] }]]);
  for (const peer of listOffered(peers, 'metrics')) {
    const { endpoint } = peer;
    const here = peer.server === server;
    if ((here && peer.taskserv === 'prometheus') || (endpoint.local && !here)) continue;
    const [path = '', query = ''] = (endpoint.path ?? '/metrics').split('?');
    const tls = tlsOf(peer, at);
    const called = path === '/metrics' ? peer.taskserv : `${peer.taskserv}${path.replaceAll('/', '-')}`;
    // Its label is that of the others all the same.
    const name = tls ? called + suffixOf(tls, at) : called;
    const key = `${peer.taskserv} ${path} ${name}`;
    const job = jobs.get(key) ?? { name, path, tls, static: [] };
    jobs.set(key, job);
    const labels = { ...labelsOf(peer, query), ...(name !== called && { job: called }) };
    job.static.push({ target: reachedAtPort(peer, host), labels });
  }
  return [...jobs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * An exporter that measures something else gets its `target` as a parameter. The target is the label of the metrics.
 */
function labelsOf({ server, role, endpoint }: OfferedEndpoint, query: string): Record<string, string> {
  const parameters = query.split('&').map((one) => one.split('=').map(decodeURIComponent) as [string, string?]);
  const { target } = Object.fromEntries(parameters);
  const own = `${server}:${endpoint.port}`;
  return {
    instance: target ?? own,
    ...(role && { role }),
    ...(target !== undefined && { prober: own }),
    ...(query && Object.fromEntries(parameters.map(([name, value = '']) => [`__param_${name}`, value]))),
  };
}

/** Scalars are written as JSON, which YAML reads as it is. */
function jobLines({ name, path, tls, static: entries }: Job, config: PrometheusConfig): string[] {
  return [
    `  - job_name: ${JSON.stringify(name)}`,
    `    metrics_path: ${JSON.stringify(path)}`,
    ...tlsLines(tls, config).map((line) => `    ${line}`),
    '    static_configs:',
    ...entries.flatMap(({ target, labels }) => [
      `      - targets: [${JSON.stringify(target)}]`,
      ...(labels
        ? ['        labels:', ...Object.entries(labels).map(([key, value]) => `          ${key}: ${JSON.stringify(value)}`)]
        : []),
    ]),
  ];
}
