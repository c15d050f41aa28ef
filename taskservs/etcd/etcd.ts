import * as z from 'zod';
import {
  debianVersions,
  duration,
  type HealthContext,
  type ListenAddress,
  listeningOn,
  packageService,
  port,
  type ServiceFile,
  secret,
  sh,
  size,
} from '../../sdk/index.js';
import { type EtcdConfig, etcdDefaults, TLS } from './etcd-defaults.js';

const tls = z.strictObject({
  certificate: secret().describe('Certificate of the server, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs the certificates of clients, PEM'),
});

const config = z
  .strictObject({
    port: port(2379).describe('TCP port on which clients connect'),
    peerPort: port(2380).describe('TCP port for members, on loopback, because etcd runs as a single member'),
    metricsPort: port(2381).describe('TCP port on which /metrics is served'),
    tls: tls.optional().describe('TLS for clients, with a certificate of the authority; without it only on loopback'),
    quota: size('2 GiB').describe('Maximum size of the data; further writes are rejected'),
    history: duration('24 h').describe('Time for which earlier revisions can be read'),
  })
  .refine(({ quota }) => quota >= 2 ** 24, { path: ['quota'], error: 'etcd needs at least 16 MiB' })
  .meta({
    examples: [
      {
        tls: Object.fromEntries(
          ['certificate', 'key', 'authority'].map((part) => [
            part,
            { generate: 'certificate', ca: 'etcd', names: ['db-1', '127.0.0.1'], part },
          ]),
        ),
        quota: '4 GiB',
      },
    ],
  });

/** Listen address for clients. Only certificates decide who may connect. */
const clients = ({ tls }: EtcdConfig, context: HealthContext): ListenAddress =>
  tls ? listeningOn('etcd', 'etcd', context) : 'loopback';

const metrics = (context: HealthContext): ListenAddress => listeningOn('etcd', 'metrics', context);

const ofTls = (field: keyof typeof TLS): ServiceFile<EtcdConfig> => ({
  path: TLS[field],
  content: ({ tls }) => (tls ? [tls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:etcd',
});

/** Keeps small data that must not be lost, and tells who watches it. */
export const etcd = packageService({
  name: 'etcd',
  category: 'orchestration',
  holds: ['/var/lib/etcd'],
  description: 'Key-value store for configuration and coordination that notifies watchers of changes.',
  versions: debianVersions({ 12: '3.4', 13: '3.5' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, metricsPort, tls }) => [
    { name: 'etcd', port, local: tls === undefined },
    { name: 'metrics', port: metricsPort, path: '/metrics' },
  ],
  package: 'etcd-server',
  furtherPackages: ['etcd-client'],
  unit: 'etcd',
  // Whichever has an address to wait for.
  listens: (config, context) => {
    const listening = clients(config, context);
    return typeof listening === 'object' ? listening : metrics(context);
  },
  files: {
    certificate: ofTls('certificate'),
    key: ofTls('key'),
    authority: ofTls('authority'),
    defaults: {
      path: '/etc/default/etcd',
      content: (config, context) =>
        etcdDefaults(config, context.host.name, { clients: clients(config, context), metrics: metrics(context) }),
    },
  },
  health: ({ port, tls }) => {
    const title = 'etcd agrees on a read';
    // The same query as etcd's client sends, without the client's slow start.
    if (!tls) return [{ title, http: `http://127.0.0.1:${port}/health`, expect: '"health":"true"' }];
    // It asks itself, and what names its certificate has is for others to say.
    const options = ['--insecure-skip-tls-verify', `--cert=${TLS.certificate}`, `--key=${TLS.key}`];
    const endpoint = `--endpoints=https://127.0.0.1:${port}`;
    return [{ title, command: sh`etcdctl ${endpoint} ${options} endpoint health 2>&1`, expect: 'is healthy' }];
  },
});
