import * as z from 'zod';
import { ownArtifact, port, releaseService } from '../../sdk/index.js';
import published from './versions.json' with { type: 'json' };

const config = z
  .strictObject({
    port: port(7233).describe('TCP port on which clients and workers connect, on loopback'),
    httpPort: port(7243).describe('TCP port of the HTTP API, on loopback'),
    metricsPort: port(7244).describe('TCP port on which `/metrics` is served, on loopback'),
    ui: z.boolean().default(false).describe('Whether it serves the Web UI'),
    uiPort: port(8233).describe('TCP port of the Web UI, on loopback'),
    namespaces: z
      .array(
        z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, { error: 'the name of a namespace has lower-case letters, digits and dashes' }),
      )
      .refine((names) => new Set(names).size === names.length, { error: 'each namespace may be listed only once' })
      .default([])
      .describe('Namespaces in addition to `default`; an omitted namespace stays'),
    artifact: ownArtifact(),
  })
  .meta({ examples: [{ namespaces: ['shop'], ui: true }] });

/** Keeps workflows, for those who develop with it. */
export const temporal = releaseService({
  name: 'temporal',
  category: 'development',
  holds: ['/var/lib/temporal'],
  description: 'Temporal server for development, with its data in one file, without accounts, on loopback.',
  config,
  published,
  artifact: { unpack: 'tar' },
  endpoints: ({ port, httpPort, metricsPort, ui, uiPort }) => [
    { name: 'temporal', port, local: true },
    { name: 'temporal-http', port: httpPort, local: true },
    { name: 'temporal-metrics', port: metricsPort, local: true },
    ...(ui ? [{ name: 'temporal-ui', port: uiPort, local: true }] : []),
  ],
  command: ({ port, httpPort, metricsPort, ui, uiPort, namespaces }, { data }) => [
    'temporal',
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', port, '--http-port', httpPort, '--metrics-port', metricsPort],
    ...(ui ? ['--ui-ip', '127.0.0.1', '--ui-port', uiPort, '--ui-disable-news-fetch'] : ['--headless']),
    ...['--db-filename', `${data}/temporal.db`, '--log-level', 'warn', '--color', 'never', '--disable-config-file'],
    ...namespaces.flatMap((name) => ['--namespace', name]),
  ],
  health: ({ httpPort, namespaces: [first = 'default'] }) => [
    {
      title: 'temporal answers for a namespace',
      http: `http://127.0.0.1:${httpPort}/api/v1/namespaces/${first}`,
      expect: 'NAMESPACE_STATE_REGISTERED',
    },
  ],
});
