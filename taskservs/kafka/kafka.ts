import {
  defineTaskserv,
  type Facts,
  type FoundFile,
  type HealthContext,
  inputError,
  listeningOn,
  releaseService,
  type SecretRef,
  type Step,
  type Text,
} from '../../sdk/index.js';
import { ADMINISTER } from './kafka-administer.js';
import { type FoundMember, memberFact } from './kafka-ask.js';
import { config, type KafkaConfig } from './kafka-config.js';
import { kafkaGroup, planMember } from './kafka-group.js';
import { CLUSTER_MARK, CONF, computeNode, DATA, type Hosts, LOG_CONF, PEER_TLS, pickHosts, TLS } from './kafka-places.js';
import { clusterLine, LOG_PROPERTIES, serverProperties } from './kafka-properties.js';
import { createSingle } from './kafka-steps.js';
import published from './versions.json' with { type: 'json' };

const MIB = 2 ** 20;

/** The endpoint at which members copy data. */
const PEERS = 'kafka-peers';

interface Certificates {
  certificate: SecretRef;
  key: SecretRef;
  authority: SecretRef;
}

const clients = ({ tls }: KafkaConfig, context: HealthContext): Hosts =>
  pickHosts(tls ? listeningOn('kafka', 'kafka', context) : 'loopback', context.host.name, 'name');

const peers = ({ cluster }: KafkaConfig, context: HealthContext): Hosts =>
  pickHosts(cluster === undefined ? 'loopback' : listeningOn('kafka', PEERS, context), context.host.name, 'address');

const secretFile = (path: string, content: (config: KafkaConfig) => Text | undefined) =>
  ({ path, content, mode: '0640', owner: 'root:kafka' }) as const;

const own = (tls: Certificates | undefined): Text | undefined => tls && [tls.key, '\n', tls.certificate, '\n'];
const authority = (tls: Certificates | undefined): Text | undefined => tls && [tls.authority, '\n'];

/** One server, or one of several. */
const member = releaseService<KafkaConfig>({
  name: 'kafka',
  category: 'messaging',
  holds: ['/var/lib/kafka'],
  description: 'Keeps streams of messages on disk, which many programs write and read: on one server, or on several.',
  supports: { os: ['debian'] },
  config,
  published,
  artifact: { unpack: 'tar', strip: 1 },
  packages: ['default-jre-headless', 'python3'],
  endpoints: ({ port, controllerPort, peerPort, tls, cluster }) => [
    { name: 'kafka', port, local: tls === undefined },
    { name: 'controllers', port: controllerPort, local: cluster === undefined },
    { name: PEERS, port: peerPort, local: cluster === undefined },
  ],
  listens: 'kafka',
  command: ({ heap }, { folder }) => [
    ...[
      '/usr/bin/java',
      `-Xmx${Math.floor(heap / MIB)}m`,
      '-XX:+UseG1GC',
      '-XX:MaxGCPauseMillis=20',
      '-XX:+ExitOnOutOfMemoryError',
    ],
    ...['-Djava.awt.headless=true', `-Dlog4j2.configurationFile=${LOG_CONF}`, '-cp', `${folder}/libs/*`, 'kafka.Kafka', CONF],
  ],
  // As Java ends when it is told to; it hands over its partitions first.
  unit: ['SuccessExitStatus=143', 'TimeoutStopSec=300'],
  files: {
    tls: secretFile(TLS.own, ({ tls }) => own(tls)),
    tlsAuthority: secretFile(TLS.authority, ({ tls }) => authority(tls)),
    peerTls: secretFile(PEER_TLS.own, ({ peerTls }) => own(peerTls)),
    peerAuthority: secretFile(PEER_TLS.authority, ({ peerTls }) => authority(peerTls)),
    logging: { path: LOG_CONF, content: () => LOG_PROPERTIES },
    conf: {
      path: CONF,
      content: (config, context) =>
        serverProperties(config, {
          ...{ server: context.host.name, clients: clients(config, context), peers: peers(config, context) },
          others: (context.group?.members ?? []).filter(({ server }) => server !== context.host.name).map(({ address }) => address),
        }),
    },
  },
  health: () => [
    {
      title: 'a majority agrees with kafka, and it takes clients',
      command: `${ADMINISTER}
find_ends
administer "$HOW" look "$AT" "$CLIENTS" "$(sed -n 's/^node.id=//p' ${CONF})"`,
      expect: 'broker',
    },
  ],
});

/** A member that served for itself would take other writes than the rest of its cluster. */
const refuseSingle = (server: string, by: string) =>
  inputError({
    code: 'groups-differ',
    what: 'plan kafka without a cluster',
    on: server,
    why: `it is a member of a cluster, as ${by} says`,
    hint: `set "cluster" again, or remove the service first, then move ${DATA} away`,
  });

/** Keeps streams of messages. */
export const kafka = defineTaskserv<KafkaConfig, Facts>({
  ...member,
  group: kafkaGroup,
  // Members reach each other.
  uses: ({ cluster }) => (cluster === undefined ? [] : ['controllers', PEERS]),
  facts: (config, version) => ({
    ...member.facts(config, version),
    ...(config.cluster === undefined && { single: memberFact() }),
  }),
  plan(config, found, context) {
    const { cluster } = config;
    const hosts = peers(config, context);
    if (cluster !== undefined)
      return planMember({ ...config, cluster }, context, { steps: member.plan(config, found, context), peers: hosts });
    const { data, clustered } = found.single as FoundMember;
    if ((found.conf as FoundFile).content.includes(`\n${clusterLine('')}`)) throw refuseSingle(context.host.name, CONF);
    if (clustered) throw refuseSingle(context.host.name, CLUSTER_MARK);
    const steps = member.plan(config, found, context);
    if (data && data.node === computeNode(context.host.name)) return steps;
    const start = steps.findIndex((step: Step) => 'service' in step);
    const begin = createSingle({ config, server: context.host.name, peers: hosts, others: [] });
    const at = start < 0 ? steps.length : start;
    return data ? steps : [...steps.slice(0, at), begin, ...steps.slice(at)];
  },
});
