import * as z from 'zod';
import {
  confinedService,
  debianVersions,
  hostPart,
  type ListenAddress,
  listeningOn,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  network,
  packageService,
  port,
  size,
} from '../../sdk/index.js';
import { writesAndReads } from './zookeeper-check.js';

const CONF = '/etc/zookeeper/zoo.cfg';
const DATA = '/var/lib/zookeeper/data';

const MIB = 2 ** 20;

const config = z
  .strictObject({
    port: port(2181).describe('TCP port on which clients connect'),
    allow: z
      .array(network())
      .default([])
      .describe('Networks of clients, because there are no passwords; without them it listens only on loopback'),
    heap: size('512 MiB')
      .refine((bytes) => bytes >= 64 * MIB, { error: 'the heap of Java needs at least 64 MiB' })
      .describe('Memory for the heap of Java, at most'),
    maxConnections: z.int().min(0).max(100_000).default(60).describe('Maximum connections per address; 0 for any number'),
    snapshots: z
      .int()
      .min(3)
      .max(1000)
      .default(3)
      .describe('Number of snapshots to keep, with their logs; older ones are deleted every day'),
  })
  .meta({ examples: [{ allow: ['10.0.0.0/24'], heap: '1 GiB' }] });

type Config = z.output<typeof config>;

/** It listens on one address, or on all of them where the host is known by a name. */
const addressOf = (listening: ListenAddress): string | undefined => literalAddressesOf(listening)?.at(-1);

function conf({ port, maxConnections, snapshots }: Config, listening: ListenAddress): string {
  return `${MANAGED_FILE_HEADER}
tickTime=2000
dataDir=${DATA}
clientPort=${port}
clientPortAddress=${addressOf(listening) ?? '0.0.0.0'}
maxClientCnxns=${maxConnections}
autopurge.snapRetainCount=${snapshots}
autopurge.purgeInterval=24
admin.enableServer=false
`;
}

const JARS = ['zookeeper', 'slf4j-log4j12', 'log4j-1.2'].map((name) => `/usr/share/java/${name}.jar`);

/** Debian's own is a script of System V that lets the server listen wherever it likes and keeps no account of failures. */
function unit({ allow, heap }: Config, listening: ListenAddress): string {
  // The host itself comes from the address that it asks.
  const own = typeof listening === 'object' ? (literalAddressesOf(listening)?.slice(1) ?? []) : [];
  const clients = ['localhost', ...own, ...allow];
  return `${MANAGED_FILE_HEADER}
[Unit]
Description=ZooKeeper
After=network.target

[Service]
User=zookeeper
Group=zookeeper
ExecStart=/usr/bin/java -Xmx${Math.floor(heap / MIB)}m -cp ${['/etc/zookeeper/conf', ...JARS].join(':')} \\
  -Dzookeeper.root.logger=INFO,CONSOLE org.apache.zookeeper.server.quorum.QuorumPeerMain ${CONF}
# As Java ends when it is told to.
SuccessExitStatus=143
Restart=on-failure
StateDirectory=zookeeper
StateDirectoryMode=0750
${confinedService({ devices: true }).join('\n')}
IPAddressDeny=any
IPAddressAllow=${clients.join(' ')}

[Install]
WantedBy=multi-user.target
`;
}

/** Keeps small data that programs agree on. */
export const zookeeper = packageService({
  name: 'zookeeper',
  category: 'messaging',
  holds: ['/var/lib/zookeeper'],
  description: 'Stores small shared data for programs such as Kafka brokers: one server.',
  versions: debianVersions({ 12: '3.8', 13: '3.9' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, allow }) => [{ name: 'zookeeper', port, local: allow.length === 0 }],
  listens: ({ allow }, context) => (allow.length > 0 ? listeningOn('zookeeper', 'zookeeper', context) : 'loopback'),
  files: {
    conf: { path: CONF, content: (config, { listening }) => conf(config, listening) },
    service: { path: '/etc/systemd/system/zookeeper.service', content: (config, { listening }) => unit(config, listening) },
  },
  health: ({ port }, { listening }) => [
    {
      title: 'zookeeper keeps what is written',
      command: writesAndReads(hostPart(addressOf(listening) ?? '127.0.0.1'), port),
      expect: 'received',
    },
  ],
});
