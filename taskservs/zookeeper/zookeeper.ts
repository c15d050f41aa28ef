import {
  debian,
  debianVersions,
  defineTaskserv,
  ensurePackage,
  type Facts,
  type FoundPackage,
  type HealthContext,
  hostPart,
  type ListenAddress,
  listeningOn,
  packageService,
} from '../../sdk/index.js';
import { writesAndReads } from './zookeeper-check.js';
import { config, type ZookeeperConfig } from './zookeeper-config.js';
import { planMember, zookeeperGroup } from './zookeeper-group.js';
import { CONF, pickAddress, START, START_PROGRAM, zooConf, zookeeperUnit } from './zookeeper-unit.js';

const listens = ({ allow }: ZookeeperConfig, context: HealthContext): ListenAddress =>
  allow.length > 0 ? listeningOn('zookeeper', 'zookeeper', context) : 'loopback';

/** One server, or one of several. */
const member = packageService<ZookeeperConfig>({
  name: 'zookeeper',
  category: 'messaging',
  holds: ['/var/lib/zookeeper'],
  description: 'Stores small shared data for programs such as Kafka brokers: on one server, or on several that agree.',
  versions: debianVersions({ 12: '3.8', 13: '3.9' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, allow, cluster, peerPort, electionPort }) => [
    { name: 'zookeeper', port, local: allow.length === 0 },
    ...(cluster === undefined
      ? []
      : [
          { name: 'peers', port: peerPort },
          { name: 'elections', port: electionPort },
        ]),
  ],
  listens,
  files: {
    start: {
      path: START,
      content: ({ cluster }) => (cluster === undefined ? undefined : START_PROGRAM),
      mode: '0755',
      isRead: ({ cluster }) => cluster !== undefined,
    },
    conf: { path: CONF, content: (config, { listening }) => zooConf(config, listening) },
    service: {
      path: '/etc/systemd/system/zookeeper.service',
      content: (config, { listening }) => zookeeperUnit(config, listening),
    },
  },
  health: ({ port }, { listening }) => [
    {
      title: 'zookeeper keeps what is written',
      command: writesAndReads(hostPart(pickAddress(listening) ?? '127.0.0.1'), port),
      expect: 'received',
    },
  ],
});

/** Keeps small data that programs agree on. */
export const zookeeper = defineTaskserv<ZookeeperConfig, Facts>({
  ...member,
  group: zookeeperGroup,
  // By it a member administers the list of members.
  facts: (config, version) => ({
    ...member.facts(config, version),
    ...(config.cluster !== undefined && { kazoo: debian('python3-kazoo') }),
  }),
  plan(config, found, context) {
    const steps = member.plan(config, found, context);
    if (config.cluster === undefined) return steps;
    const clients = pickAddress(listens(config, context)) ?? '0.0.0.0';
    return planMember(config, context, { steps: [...ensurePackage(found.kazoo as FoundPackage), ...steps], clients });
  },
});
