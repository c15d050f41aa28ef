import { MANAGED_FILE_HEADER } from '../../sdk/index.js';
import type { KafkaConfig } from './kafka-config.js';
import { computeNode, copiesIn, DATA, type Hosts, joinPort, PEER_TLS, TLS } from './kafka-places.js';

/** A member of a cluster, or a single server. */
export interface ServerEnds {
  server: string;
  clients: Hosts;
  peers: Hosts;
  /** Addresses of the other members of the definition. */
  others: readonly string[];
}

/** Files of TLS as a listener has them: whoever connects needs a certificate, too. */
const tlsLines = (listener: string, { own, authority }: { own: string; authority: string }): string[] =>
  Object.entries({
    'keystore.type': 'PEM',
    'keystore.location': own,
    'truststore.type': 'PEM',
    'truststore.location': authority,
    'client.auth': 'required',
  }).map(([key, value]) => `listener.name.${listener}.ssl.${key}=${value}`);

/** The line by which a host knows that its data is that of a cluster. */
export const clusterLine = (cluster: string): string => `# Cluster: ${cluster}`;

/** The content of server.properties: each member takes clients, and decides. */
export function serverProperties(config: KafkaConfig, { server, clients, peers, others }: ServerEnds): string {
  const { port, controllerPort, peerPort, cluster, tls } = config;
  const ends = (kind: 'bound' | 'told') =>
    [
      `CLIENTS://${joinPort(clients[kind], port)}`,
      `PEERS://${joinPort(peers[kind], peerPort)}`,
      `CONTROLLER://${joinPort(peers[kind], controllerPort)}`,
    ].join(',');
  const between = cluster === undefined ? 'PLAINTEXT' : 'SSL';
  const { all, least } = copiesIn(others.length + 1);
  const values = {
    'process.roles': 'broker,controller',
    'node.id': computeNode(server),
    'log.dirs': DATA,
    listeners: ends('bound'),
    'advertised.listeners': ends('told'),
    'listener.security.protocol.map': `CLIENTS:${tls ? 'SSL' : 'PLAINTEXT'},PEERS:${between},CONTROLLER:${between}`,
    'inter.broker.listener.name': 'PEERS',
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.bootstrap.servers': [peers.told, ...others].map((host) => joinPort(host, controllerPort)).join(','),
    'default.replication.factor': all,
    'min.insync.replicas': least,
    'offsets.topic.replication.factor': all,
    'transaction.state.log.replication.factor': all,
    'transaction.state.log.min.isr': least,
    'share.coordinator.state.topic.replication.factor': all,
    'share.coordinator.state.topic.min.isr': least,
    'unclean.leader.election.enable': false,
    'auto.create.topics.enable': config.createTopics,
    'num.partitions': config.partitions,
    'log.retention.ms': config.retention * 1000,
    'message.max.bytes': config.maxMessage,
    'replica.fetch.max.bytes': config.maxMessage,
  };
  return [
    MANAGED_FILE_HEADER,
    ...(cluster === undefined ? [] : [clusterLine(cluster)]),
    ...Object.entries(values).map(([key, value]) => `${key}=${value}`),
    ...(tls ? tlsLines('clients', TLS) : []),
    ...(cluster === undefined
      ? []
      : ['peers', 'controller'].flatMap((listener) => [
          ...tlsLines(listener, PEER_TLS),
          // The authority signs certificates of members only, and they tell addresses.
          `listener.name.${listener}.ssl.endpoint.identification.algorithm=`,
        ])),
    '',
  ].join('\n');
}

/** Warnings, and what happens to the cluster, to the journal. */
export const LOG_PROPERTIES = `${MANAGED_FILE_HEADER}
status=warn
name=kafka
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%p %m (%c)%n
rootLogger.level=warn
rootLogger.appenderRef.console.ref=console
logger.server.name=kafka.server
logger.server.level=info
`;
