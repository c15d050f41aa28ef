import * as z from 'zod';
import { addressesOf, debianVersions, hostPart, packageService, port } from '../../sdk/index.js';

const collector = z.string().regex(/^[a-z0-9_]+$/, { error: 'a collector is named like "diskstats"' });

const config = z
  .strictObject({
    port: port(9100).describe('TCP port on which /metrics is served'),
    disabledCollectors: z.array(collector).default([]).describe('Collectors that are on by default and are turned off'),
    enabledCollectors: z.array(collector).default([]).describe('Collectors that are off by default and are turned on'),
  })
  .meta({ examples: [{ enabledCollectors: ['systemd'] }] });

/** Measures the machine, for Prometheus to scrape. */
export const nodeExporter = packageService({
  name: 'node-exporter',
  category: 'observability',
  description: 'Measures the machine (CPU, memory, disks, network), for Prometheus to scrape.',
  versions: debianVersions({ 12: '1.5', 13: '1.9' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  package: 'prometheus-node-exporter',
  listens: 'metrics',
  files: {
    defaults: {
      path: '/etc/default/prometheus-node-exporter',
      content({ port, disabledCollectors, enabledCollectors }, { listening }) {
        const args = [
          ...(addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`),
          ...disabledCollectors.map((name) => `--no-collector.${name}`),
          ...enabledCollectors.map((name) => `--collector.${name}`),
        ];
        return `# Written by provisioning; changes by hand are taken back.\nARGS="${args.join(' ')}"\n`;
      },
    },
  },
  health: ({ port }) => [
    { title: 'node-exporter serves metrics of the machine', http: `http://127.0.0.1:${port}/metrics`, expect: 'node_' },
  ],
});
