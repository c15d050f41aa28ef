import {
  debian,
  debianVersions,
  defineTaskserv,
  ensurePackage,
  type Facts,
  type FoundPackage,
  fact,
  type HealthContext,
  inputError,
  type ListenAddress,
  listeningOn,
  packageService,
} from '../../sdk/index.js';
import { writesAndReads } from './zookeeper-check.js';
import { config, type ZookeeperConfig } from './zookeeper-config.js';
import { planMember, zookeeperGroup } from './zookeeper-group.js';
import { CLUSTER } from './zookeeper-places.js';
import { CONF, DATA, pickAddress, START, START_PROGRAM, zooConf, zookeeperUnit } from './zookeeper-unit.js';

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
      command: writesAndReads(pickAddress(listening) ?? '127.0.0.1', port),
      expect: 'received',
    },
  ],
});

/** Whether the host has the list of members of a cluster. */
const wasMember = fact(`[ ! -e ${CLUSTER} ] || echo member`, ({ stdout }) => stdout.trim() === 'member', false);

/** Members of a cluster that each served for itself would take different writes, and could not form it again. */
const refuseSingle = (server: string) =>
  inputError({
    code: 'groups-differ',
    what: 'plan zookeeper without a cluster',
    on: server,
    why: `it has data of a cluster, in ${CLUSTER}`,
    hint: `set "cluster" again; if only this server shall keep the data: systemctl stop zookeeper, and remove ${CLUSTER} and ${DATA}/myid on it`,
  });

/** Keeps small data that programs agree on. */
export const zookeeper = defineTaskserv<ZookeeperConfig, Facts>({
  ...member,
  group: zookeeperGroup,
  // By it a member administers the list of members.
  facts: (config, version) => ({
    ...member.facts(config, version),
    ...(config.cluster === undefined ? { member: wasMember } : { kazoo: debian('python3-kazoo') }),
  }),
  plan(config, found, context) {
    if (config.cluster === undefined && found.member) throw refuseSingle(context.host.name);
    const steps = member.plan(config, found, context);
    if (config.cluster === undefined) return steps;
    const clients = pickAddress(listens(config, context)) ?? '0.0.0.0';
    return planMember(config, context, { steps: [...ensurePackage(found.kazoo as FoundPackage), ...steps], clients });
  },
});
