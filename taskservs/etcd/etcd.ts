import * as z from 'zod';
import {
  debianVersions,
  defineTaskserv,
  duration,
  type Facts,
  type FoundFile,
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
import { type EtcdConfig, etcdDefaults, PEER_TLS, TLS } from './etcd-defaults.js';
import { etcdGroup, planMember } from './etcd-group.js';
import { SNAPSHOT, snapshotProgram } from './etcd-snapshot.js';
import { INITIAL_DROP_IN } from './etcd-steps.js';

const tls = z.strictObject({
  certificate: secret().describe('Certificate of the server, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs the certificates of clients, PEM'),
});

const peerTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, with all their names, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs certificates of members only, PEM'),
});

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

const generated = (ca: string, names: string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));

const config = z
  .strictObject({
    port: port(2379).describe('TCP port on which clients connect'),
    peerPort: port(2380).describe('TCP port for members; on loopback without `cluster`'),
    metricsPort: port(2381).describe('TCP port on which /metrics is served'),
    tls: tls.optional().describe('TLS for clients, with a certificate of the authority; without it only on loopback'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single member'),
    peerTls: peerTls.optional().describe('TLS between the members of a cluster, with a certificate of its own authority'),
    quota: size('2 GiB').describe('Maximum size of the data; further writes are rejected'),
    history: duration('24 h').describe('Time for which earlier revisions can be read'),
  })
  .refine(({ quota }) => quota >= 2 ** 24, { path: ['quota'], error: 'etcd needs at least 16 MiB' })
  .refine(({ cluster, tls }) => cluster === undefined || tls !== undefined, {
    path: ['tls'],
    error: 'members of a cluster need a certificate for clients: they ask each other by it',
  })
  .refine(({ cluster, peerTls }) => cluster === undefined || peerTls !== undefined, {
    path: ['peerTls'],
    error: 'members of a cluster need certificates between them',
  })
  .refine(({ cluster, peerTls }) => cluster !== undefined || peerTls === undefined, {
    path: ['peerTls'],
    error: 'certificates between members are for a cluster: name it by "cluster"',
  })
  .meta({
    examples: [
      { tls: generated('etcd', ['db-1', '127.0.0.1']), quota: '4 GiB' },
      {
        cluster: 'main',
        tls: generated('etcd', ['db-1', 'db-2', 'db-3', '127.0.0.1']),
        peerTls: generated('etcd-peers', ['db-1', 'db-2', 'db-3']),
      },
    ],
  });

/** Listen address for clients. Only certificates decide who may connect. */
const clients = ({ tls }: EtcdConfig, context: HealthContext): ListenAddress =>
  tls ? listeningOn('etcd', 'etcd', context) : 'loopback';

const metrics = (context: HealthContext): ListenAddress => listeningOn('etcd', 'metrics', context);

const peers = (context: HealthContext): ListenAddress => listeningOn('etcd', 'peers', context);

const ofTls = (field: keyof typeof TLS): ServiceFile<EtcdConfig> => ({
  path: TLS[field],
  content: ({ tls }) => (tls ? [tls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:etcd',
});

const ofPeers = (field: keyof typeof PEER_TLS): ServiceFile<EtcdConfig> => ({
  path: PEER_TLS[field],
  content: ({ peerTls }) => (peerTls ? [peerTls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:etcd',
  isRead: ({ peerTls }) => peerTls !== undefined,
});

/** A member, whether it is alone or one of several. */
const member = packageService<EtcdConfig>({
  name: 'etcd',
  category: 'orchestration',
  holds: ['/var/lib/etcd'],
  description: 'Key-value store for configuration and coordination that notifies watchers of changes.',
  versions: debianVersions({ 12: '3.4', 13: '3.5' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, metricsPort, peerPort, tls, cluster }) => [
    { name: 'etcd', port, local: tls === undefined },
    { name: 'metrics', port: metricsPort, path: '/metrics' },
    ...(cluster === undefined ? [] : [{ name: 'peers', port: peerPort }]),
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
    peerCertificate: ofPeers('certificate'),
    peerKey: ofPeers('key'),
    peerAuthority: ofPeers('authority'),
    initial: {
      path: INITIAL_DROP_IN.path,
      content: ({ cluster }) => (cluster === undefined ? undefined : INITIAL_DROP_IN.content),
      isRead: () => false,
    },
    snapshot: {
      path: SNAPSHOT,
      content: (config, { host }) => (config.cluster === undefined ? undefined : snapshotProgram(config, host.name)),
      mode: '0755',
      isRead: () => false,
    },
    defaults: {
      path: '/etc/default/etcd',
      content: (config, context) =>
        etcdDefaults(config, context.host.name, {
          clients: clients(config, context),
          metrics: metrics(context),
          peers: peers(context),
        }),
    },
  },
  health: ({ port, tls, cluster }, { host }) => {
    const title = 'etcd agrees on a read';
    // The same query as etcd's client sends, without the client's slow start.
    if (!tls) return [{ title, http: `http://127.0.0.1:${port}/health`, expect: '"health":"true"' }];
    // It asks itself, and what names its certificate has is for others to say.
    const options = ['--insecure-skip-tls-verify', `--cert=${TLS.certificate}`, `--key=${TLS.key}`];
    const endpoint = `--endpoints=https://127.0.0.1:${port}`;
    const agrees = { title, command: sh`etcdctl ${endpoint} ${options} endpoint health 2>&1`, expect: 'is healthy' };
    if (cluster === undefined) return [agrees];
    const list = sh`etcdctl ${endpoint} ${options} member list`;
    return [agrees, { title: `it is a member of the cluster ${cluster}`, command: list, expect: `, started, ${host.name}, ` }];
  },
});

/** Keeps small data that must not be lost, and tells who watches it. */
export const etcd = defineTaskserv<EtcdConfig, Facts>({
  ...member,
  group: etcdGroup,
  plan(config, found, context) {
    const steps = member.plan(config, found, context);
    if (config.cluster === undefined) return steps;
    return planMember(config, config.cluster, context, { steps, defaults: (found.defaults as FoundFile).content });
  },
});
