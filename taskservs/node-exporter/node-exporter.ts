import * as z from 'zod';
import {
  addressesOf,
  debian,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  ensureWait,
  file,
  hostPart,
  listeningOn,
  port,
  systemd,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';

const UNIT = 'prometheus-node-exporter';
const DEFAULTS = '/etc/default/prometheus-node-exporter';

const collector = z.string().regex(/^[a-z0-9_]+$/, { error: 'a collector is named like "diskstats"' });

const config = z
  .strictObject({
    port: port(9100).describe('TCP port on which /metrics is served'),
    disabledCollectors: z.array(collector).default([]).describe('Collectors that are on by default and are turned off'),
    enabledCollectors: z.array(collector).default([]).describe('Collectors that are off by default and are turned on'),
  })
  .meta({ examples: [{ enabledCollectors: ['systemd'] }] });

/** Measures the machine, for Prometheus to scrape. */
export const nodeExporter = defineTaskserv({
  name: 'node-exporter',
  category: 'observability',
  description: 'Measures the machine (CPU, memory, disks, network), for Prometheus to scrape.',
  versions: { default: '1.5', supported: ['1.5'], source: 'debian' },
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  uses: () => [],
  facts: () => ({
    package: debian('prometheus-node-exporter'),
    defaults: file(DEFAULTS),
    wait: file(waitFile(UNIT)),
    unit: systemd(UNIT, [DEFAULTS]),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, context) {
    const listening = listeningOn('node-exporter', 'metrics', context);
    const args = [
      ...(addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${config.port}`),
      ...config.disabledCollectors.map((name) => `--no-collector.${name}`),
      ...config.enabledCollectors.map((name) => `--collector.${name}`),
    ];
    const content = `# Written by provisioning; changes by hand are taken back.\nARGS="${args.join(' ')}"\n`;
    const before = [
      ...ensurePackage(found.package),
      ...ensureFile(found.defaults, { content }),
      ...ensureWait(found.wait, UNIT, listening),
    ];
    return [...before, ...ensureService(found.unit, { state: 'running', enabled: true, reads: [DEFAULTS] }, before)];
  },

  health: ({ port }) => [
    { title: 'node-exporter serves metrics of the machine', http: `http://127.0.0.1:${port}/metrics`, expect: 'node_' },
  ],

  remove: (_, found) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.defaults),
    ...ensureNoFile(found.wait),
  ],
});
