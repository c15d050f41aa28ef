import * as z from 'zod';
import { askAt, duration, hostPort, packageService, port, sh } from '../../sdk/index.js';
import { prometheusYml } from './prometheus-yml.js';

const CONF = '/etc/prometheus/prometheus.yml';

const target = hostPort('a target is written as "host:port", an IPv6 address in brackets');

const config = z
  .strictObject({
    port: port(9090).describe('TCP port of the web interface and of the API'),
    retention: duration('15 d').describe('How long samples are kept'),
    scrapeInterval: duration('15 s').describe('Time between two scrapes of a target'),
    targets: z
      .array(
        z.strictObject({
          job: z
            .string()
            .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, { error: 'a job is named by up to 63 letters, digits and _.-' })
            .describe('Name of the job, its label `job`'),
          targets: z.array(target).min(1).describe('Where to scrape, each as `host:port`'),
          path: z
            .string()
            .regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'a path of a URL begins with /' })
            .default('/metrics')
            .describe('Path of the metrics'),
        }),
      )
      .refine((jobs) => new Set(jobs.map(({ job }) => job)).size === jobs.length, { error: 'each job is named once' })
      .default([])
      .describe('Targets besides those of the definition, which are found by themselves'),
  })
  .meta({ examples: [{ retention: '30 d', targets: [{ job: 'app', targets: ['app.example.org:9200'] }] }] });

/** Collects metrics of everything in the definition that offers some. */
export const prometheus = packageService({
  name: 'prometheus',
  category: 'observability',
  description: 'Collects metrics of everything in the definition that offers some, and answers queries over them.',
  versions: { default: '2.42', supported: ['2.42'], source: 'debian' },
  supports: { os: ['debian'] },
  after: ['node-exporter'],
  config,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  uses: () => ['metrics'],
  listens: 'metrics',
  files: {
    conf: {
      path: CONF,
      content: (config, { host, peers, listening }) => prometheusYml(config, host.name, askAt(listening), peers),
      reload: true,
    },
    defaults: {
      path: '/etc/default/prometheus',
      content({ port, retention }, { listening }) {
        const address = listening === 'all' ? '' : askAt(listening);
        const args = `--web.listen-address=${address}:${port} --storage.tsdb.retention.time=${retention}s`;
        return `# Written by provisioning; changes by hand are taken back.\nARGS="${args}"\n`;
      },
    },
  },
  check: sh`promtool check config ${CONF}`,
  health: ({ port }, { listening }) => [
    { title: 'prometheus is ready for queries', http: `http://${askAt(listening)}:${port}/-/ready` },
  ],
});
