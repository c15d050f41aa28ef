import { offering, type Peer } from '../../sdk/index.js';
import type { PrometheusConfig } from './prometheus-config.js';

type Offered = ReturnType<typeof offering>[number];

interface Own {
  /** Its server. */
  server: string;
  /** The address by which it reaches itself. */
  self: string;
  /** The address by which it reaches what else is on its server. */
  around: string;
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
    ...alertingLines(peers, at),
    'scrape_configs:',
    ...[...own, ...extra].flatMap(jobLines),
    '',
  ].join('\n');
}

/** Where alerts are sent: to all that take them, of which each is told all. */
function alertingLines(peers: readonly Peer[], at: Own): string[] {
  const targets = offering(peers, 'alerts')
    .filter((peer) => !peer.endpoint.local || peer.server === at.server)
    .map((peer) => targetOf(peer, at));
  if (targets.length === 0) return [];
  return ['alerting:', '  alertmanagers:', '    - static_configs:', `        - targets: ${JSON.stringify(targets)}`];
}

/** This server's own name need not resolve on it, its address does; what is local listens on loopback alone. */
function targetOf({ server, address, endpoint }: Offered, at: Own): string {
  const here = endpoint.local ? '127.0.0.1' : at.around;
  return `${server === at.server ? here : address}:${endpoint.port}`;
}

function jobsOf({ port }: PrometheusConfig, at: Own, peers: readonly Peer[]): Job[] {
  const { server, self } = at;
  const itself = { target: `${self}:${port}`, labels: { instance: `${server}:${port}` } };
  const jobs = new Map<string, Job>([['prometheus /metrics', { name: 'prometheus', path: '/metrics', static: [itself] }]]);
  for (const peer of offering(peers, 'metrics')) {
    const { endpoint } = peer;
    const here = peer.server === server;
    if ((here && peer.taskserv === 'prometheus') || (endpoint.local && !here)) continue;
    const [path = '', query = ''] = (endpoint.path ?? '/metrics').split('?');
    const key = `${peer.taskserv} ${path}`;
    const name = path === '/metrics' ? peer.taskserv : `${peer.taskserv}${path.replaceAll('/', '-')}`;
    const job = jobs.get(key) ?? { name, path, static: [] };
    jobs.set(key, job);
    job.static.push({ target: targetOf(peer, at), labels: labelsOf(peer, query) });
  }
  return [...jobs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What measures something else, its `target`, is told of it by parameters, and what it measures is called so. */
function labelsOf({ server, role, endpoint }: Offered, query: string): Record<string, string> {
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
