import {
  askAt,
  debian,
  debianVersions,
  defineTaskserv,
  ensurePackage,
  type Facts,
  type FoundPackage,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  type ServiceFile,
  sh,
  tlsFiles,
  validForLong,
} from '../../sdk/index.js';
import { type NatsConfig, natsConf, PEER_TLS } from './nats-conf.js';
import { config } from './nats-config.js';
import { natsGroup, planMember } from './nats-group.js';
import { BY_TLS, IN_PLAIN } from './nats-health.js';

const CONF = '/etc/nats-server.conf';

const DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
StateDirectory=nats
StateDirectoryMode=0750
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
`;

/** A member hands over its streams before it ends, and comes back by itself. */
const CLUSTER_LINES = `Restart=on-failure
ExecStop=
ExecStop=/bin/sh -c 'kill -s USR2 $MAINPID; while kill -s 0 $MAINPID 2>/dev/null; do sleep 0.2; done'
`;

const ofPeers = (field: keyof typeof PEER_TLS): ServiceFile<NatsConfig> => ({
  path: PEER_TLS[field],
  content: ({ peerTls }) => (peerTls ? [peerTls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:nats',
  isRead: ({ peerTls }) => peerTls !== undefined,
});

/** One server, or one of several. */
const member = packageService<NatsConfig>({
  name: 'nats',
  category: 'messaging',
  holds: ({ jetStream }) => (jetStream ? ['/var/lib/nats'] : []),
  description: 'Message broker with optional streams on disk.',
  versions: debianVersions({ 12: '2.9', 13: '2.10' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, monitoringPort, users, cluster, clusterPort }) => [
    { name: 'nats', port, local: users.length === 0 },
    { name: 'nats-monitoring', port: monitoringPort, local: true },
    ...(cluster === undefined ? [] : [{ name: 'peers', port: clusterPort }]),
  ],
  package: 'nats-server',
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('nats', 'nats', context) : 'loopback'),
  files: {
    peerCertificate: ofPeers('certificate'),
    peerKey: ofPeers('key'),
    peerAuthority: ofPeers('authority'),
    conf: {
      path: CONF,
      content: (config, { host, listening, group }) =>
        natsConf(config, host.name, listening, group?.members.map(({ address }) => address) ?? [host.name]),
      mode: '0640',
      owner: 'root:nats',
    },
    dropIn: {
      path: '/etc/systemd/system/nats-server.service.d/provisioning.conf',
      // The package brings no folder for streams.
      content: ({ cluster }) => (cluster === undefined ? DROP_IN : DROP_IN + CLUSTER_LINES),
    },
  },
  check: sh`nats-server -c ${CONF} -t`,
  tls: { of: ({ tls }) => tls, group: 'nats', reload: true, packages: ['python3'] },
  health: ({ port, tls, users: [first] }, { listening }) => [
    {
      title: 'nats passes a message on',
      command: `${sh`set -- ${askAt(listening)} ${port} ${tlsFiles('nats').certificate}`}\n${tls ? BY_TLS : IN_PLAIN}`,
      expect: 'received',
      env: first && { NATS_USER: first.name, NATS_PASSWORD: [first.password] },
    },
    ...(tls ? [validForLong('nats', tls.warnBefore)] : []),
  ],
});

/** Passes messages between programs. */
export const nats = defineTaskserv<NatsConfig, Facts>({
  ...member,
  group: natsGroup,
  // A member administers its cluster by a program in Python.
  facts: (config, version) => ({
    ...member.facts(config, version),
    ...(config.cluster !== undefined && { python3: debian('python3') }),
  }),
  plan(config, found, context) {
    const steps = member.plan(config, found, context);
    if (config.cluster === undefined) return steps;
    const python = config.tls ? [] : ensurePackage(found.python3 as FoundPackage);
    return planMember(config, context, [...python, ...steps]);
  },
});
