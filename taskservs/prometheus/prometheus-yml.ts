import { offering, type Peer } from '../../sdk/index.js';

interface ScrapeConfig {
  port: number;
  /** Seconds. */
  scrapeInterval: number;
  targets: { job: string; targets: string[]; path: string }[];
}

interface Job {
  name: string;
  path: string;
  static: { target: string; labels?: Record<string, string> }[];
}

/**
 * The content of prometheus.yml: one job for each taskserv that offers metrics, itself included, then the extra ones.
 *
 * @param self the address by which it reaches itself
 */
export function prometheusYml(config: ScrapeConfig, server: string, self: string, peers: readonly Peer[]): string {
  const extra = config.targets.map(({ job, targets, path }) => ({
    name: job,
    path,
    static: targets.map((target) => ({ target })),
  }));
  const taken = new Set(extra.map(({ name }) => name));
  const own = jobsOf(config, server, self, peers).filter(({ name }) => !taken.has(name));
  return [
    '# Written by provisioning; changes by hand are taken back.',
    'global:',
    `  scrape_interval: ${config.scrapeInterval}s`,
    `  evaluation_interval: ${config.scrapeInterval}s`,
    'scrape_configs:',
    ...[...own, ...extra].flatMap(jobLines),
    '',
  ].join('\n');
}

function jobsOf({ port }: ScrapeConfig, server: string, self: string, peers: readonly Peer[]): Job[] {
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
      // This server's own name need not resolve on it; loopback always does.
      target: `${here ? '127.0.0.1' : peer.address}:${endpoint.port}`,
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
