import { offering, type Peer } from '../../sdk/index.js';
import type { PrometheusConfig } from './prometheus-config.js';

interface Own {
  /** Its server. */
  server: string;
  /** The address by which it reaches itself. */
  self: string;
  /** The file of rules, which is there where there are any. */
  rules: string;
}

interface Job {
  name: string;
  path: string;
  static: { target: string; labels?: Record<string, string> }[];
}

/** The content of prometheus.yml: one job for each taskserv that offers metrics, itself included, then the extra ones. */
export function prometheusYml(config: PrometheusConfig, at: Own, peers: readonly Peer[]): string {
  const extra = config.targets.map(({ job, targets, path }) => ({
    name: job,
    path,
    static: targets.map((target) => ({ target })),
  }));
  const taken = new Set(extra.map(({ name }) => name));
  const own = jobsOf(config, at, peers).filter(({ name }) => !taken.has(name));
  return [
    '# Written by provisioning; changes by hand are taken back.',
    'global:',
    `  scrape_interval: ${config.scrapeInterval}s`,
    `  evaluation_interval: ${config.scrapeInterval}s`,
    ...(config.rules.length > 0 ? [`rule_files: [${JSON.stringify(at.rules)}]`] : []),
    ...alertingLines(peers, at.server),
    'scrape_configs:',
    ...[...own, ...extra].flatMap(jobLines),
    '',
  ].join('\n');
}

/** Where alerts are sent: to all that take them, of which each is told all. */
function alertingLines(peers: readonly Peer[], server: string): string[] {
  const targets = offering(peers, 'alerts')
    .filter((peer) => !peer.endpoint.local || peer.server === server)
    .map((peer) => targetOf(peer, server));
  if (targets.length === 0) return [];
  return ['alerting:', '  alertmanagers:', '    - static_configs:', `        - targets: ${JSON.stringify(targets)}`];
}

/** This server's own name need not resolve on it; loopback always does. */
const targetOf = ({ server, address, endpoint }: ReturnType<typeof offering>[number], own: string): string =>
  `${server === own ? '127.0.0.1' : address}:${endpoint.port}`;

function jobsOf({ port }: PrometheusConfig, { server, self }: Own, peers: readonly Peer[]): Job[] {
  const itself = { target: `${self}:${port}`, labels: { instance: `${server}:${port}` } };
  const jobs = new Map<string, Job>([['prometheus /metrics', { name: 'prometheus', path: '/metrics', static: [itself] }]]);
  for (const peer of offering(peers, 'metrics')) {
    const { endpoint } = peer;
    const here = peer.server === server;
    if ((here && peer.taskserv === 'prometheus') || (endpoint.local && !here)) continue;
    const path = endpoint.path ?? '/metrics';
    const key = `${peer.taskserv} ${path}`;
    const name = path === '/metrics' ? peer.taskserv : `${peer.taskserv}${path.replaceAll('/', '-')}`;
    const job = jobs.get(key) ?? { name, path, static: [] };
    jobs.set(key, job);
    job.static.push({
      target: targetOf(peer, server),
      labels: { instance: `${peer.server}:${endpoint.port}`, ...(peer.role && { role: peer.role }) },
    });
  }
  return [...jobs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Scalars are written as JSON, which YAML reads as it is. */
function jobLines({ name, path, static: entries }: Job): string[] {
  return [
    `  - job_name: ${JSON.stringify(name)}`,
    `    metrics_path: ${JSON.stringify(path)}`,
    '    static_configs:',
    ...entries.flatMap(({ target, labels }) => [
      `      - targets: [${JSON.stringify(target)}]`,
      ...(labels
        ? ['        labels:', ...Object.entries(labels).map(([key, value]) => `          ${key}: ${JSON.stringify(value)}`)]
        : []),
    ]),
  ];
}
