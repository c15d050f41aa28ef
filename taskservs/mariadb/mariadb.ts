import {
  addressesOf,
  debian,
  debianVersions,
  defineTaskserv,
  ensurePackage,
  type Facts,
  type FoundFacts,
  type FoundFile,
  type FoundPackage,
  fact,
  inputError,
  type ListenAddress,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  type ServiceFile,
  TLS12_CIPHERS,
  tlsFiles,
} from '../../sdk/index.js';
import { contentSteps } from './content-steps.js';
import { contentsFact, describeWanted, type FoundContents } from './contents.js';
import { type FoundMember, memberFact } from './mariadb-ask.js';
import { CLUSTER_DROP_IN, listClusterSettings, START_PROGRAM, TRANSFER_SECTION, writeMembersConf } from './mariadb-cluster.js';
import { type MariadbConfig, mariadbConfig } from './mariadb-config.js';
import { joinsOthers, mariadbGroup, planMember } from './mariadb-group.js';
import { DATA, MARIADB, PEER_TLS, START } from './mariadb-places.js';

/** The socket, by which this server is reached, counts as encrypted. */
function tlsSettings(tls: MariadbConfig['tls']) {
  if (!tls) return {};
  const { certificate, key } = tlsFiles('mariadb');
  return {
    ssl_cert: certificate,
    ssl_key: key,
    ssl_cipher: TLS12_CIPHERS,
    tls_version: tls.minimum === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2,TLSv1.3',
    require_secure_transport: tls.required,
  };
}

/** @param ofCluster settings of a member of a cluster */
function conf(config: MariadbConfig, listening: ListenAddress, ofCluster: Record<string, string | number>): string {
  const { port, bufferPool, tls, settings, cluster } = config;
  const all = {
    port,
    bind_address: addressesOf(listening)?.join(',') ?? '*',
    innodb_buffer_pool_size: bufferPool,
    character_set_server: 'utf8mb4',
    // Accounts may log in from any address, so host names of clients have no use.
    skip_name_resolve: true,
    ...tlsSettings(tls),
    ...ofCluster,
    ...settings,
  };
  const value = (of: string | number | boolean) => (typeof of === 'boolean' ? (of ? 'ON' : 'OFF') : of);
  const lines = Object.entries(all).map(([name, of]) => `${name} = ${value(of)}`);
  return `${MANAGED_FILE_HEADER}\n[mariadbd]\n${lines.join('\n')}\n${cluster === undefined ? '' : TRANSFER_SECTION}`;
}

const ofPeers = (field: keyof typeof PEER_TLS): ServiceFile<MariadbConfig> => ({
  path: PEER_TLS[field],
  content: ({ peerTls }) => (peerTls ? [peerTls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:mysql',
  isRead: ({ peerTls }) => peerTls !== undefined,
});

const isMember = ({ cluster }: MariadbConfig): boolean => cluster !== undefined;

/** One server, or one of several. */
const member = packageService<MariadbConfig>({
  name: 'mariadb',
  category: 'databases',
  holds: ['/var/lib/mysql'],
  // It has no identifier: the file with which the data began stands for it.
  identity: fact(
    'stat -c %i-%W /var/lib/mysql/ibdata1 2>/dev/null',
    ({ stdout }) => /^[0-9]+-[0-9]+$/.exec(stdout.trim())?.[0] ?? '',
    '',
  ),
  description: 'Relational database with the MySQL protocol: one server, or a Galera cluster.',
  versions: debianVersions({ 12: '10.11', 13: '11.8' }),
  supports: { os: ['debian'] },
  config: mariadbConfig,
  endpoints: ({ port, users, cluster, clusterPort, incrementalPort, transferPort }) => [
    { name: 'mariadb', port, local: users.length === 0 },
    ...(cluster === undefined
      ? []
      : [
          { name: 'peers', port: clusterPort },
          { name: 'peers-incremental', port: incrementalPort },
          { name: 'peers-transfer', port: transferPort },
        ]),
  ],
  package: 'mariadb-server',
  unit: 'mariadb',
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('mariadb', 'mariadb', context) : 'loopback'),
  files: {
    peerCertificate: ofPeers('certificate'),
    peerKey: ofPeers('key'),
    peerAuthority: ofPeers('authority'),
    conf: {
      path: '/etc/mysql/mariadb.conf.d/99-provisioning.cnf',
      content: (config, { listening, ...context }) =>
        conf(
          config,
          listening,
          isMember(config) ? listClusterSettings(config, context.host.name, listeningOn('mariadb', 'peers', context)) : {},
        ),
    },
    members: {
      path: '/etc/mysql/mariadb.conf.d/98-provisioning-members.cnf',
      content: (config, { host, group }) =>
        isMember(config) ? writeMembersConf(config, group?.members.map(({ address }) => address) ?? [host.name]) : undefined,
      isRead: () => false,
    },
    start: {
      path: START,
      content: (config) => (isMember(config) ? START_PROGRAM : undefined),
      mode: '0755',
      isRead: isMember,
    },
    dropIn: {
      path: '/etc/systemd/system/mariadb.service.d/provisioning.conf',
      content: (config) => (isMember(config) ? CLUSTER_DROP_IN : undefined),
      isRead: isMember,
    },
  },
  check: 'runuser -u mysql -- mariadbd --verbose --help >/dev/null',
  tls: {
    of: ({ tls }) => tls,
    group: 'mysql',
    renew: `${MARIADB} -e 'FLUSH SSL'`,
    connect: ({ port }) => ({ connect: `127.0.0.1:${port}`, starttls: 'mysql' }),
  },
  contents: { fact: contentsFact, steps: contentSteps },
  health: (config) => [
    { title: 'mariadb answers a query', command: `${MARIADB} -e "SELECT 'answered'"`, expect: 'answered' },
    ...(isMember(config)
      ? [
          {
            title: 'mariadb takes writes of its cluster',
            command: `${MARIADB} -e "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_ready')" | cut -f 2 | tr '\\n' ' '`,
            expect: 'Primary ON',
          },
        ]
      : []),
  ],
});

/** Members of a cluster that each served for itself would take different writes, and could not form it again. */
const refuseSingle = (server: string) =>
  inputError({
    code: 'groups-differ',
    what: 'plan mariadb without a cluster',
    on: server,
    why: `it has data of a cluster, in ${DATA}`,
    hint: `set "cluster" again; if only this server shall keep the data: systemctl stop mariadb, and remove ${DATA}/grastate.dat on it`,
  });

/** Whether the data is of a cluster of the platform. People may have made another one by settings of their own. */
function wasMember({ settings }: MariadbConfig, found: FoundFacts<Facts>): boolean {
  if (Object.keys(settings).some((name) => name.startsWith('wsrep_'))) return false;
  const { exists } = found.start as FoundFile;
  const { version } = found.package as FoundPackage;
  const { group } = (found.member ?? {}) as Partial<FoundMember>;
  return group !== undefined && (exists || version === undefined);
}

/** Relational database that speaks the protocol of MySQL. */
export const mariadb = defineTaskserv<MariadbConfig, Facts>({
  ...member,
  group: mariadbGroup,
  facts: (config, version) => ({
    ...member.facts(config, version),
    // By it a member gives all data to a new one.
    ...(isMember(config) ? { backup: debian('mariadb-backup') } : { member: memberFact(true) }),
  }),
  plan(config, found, context) {
    if (!isMember(config)) {
      if (wasMember(config, found)) throw refuseSingle(context.host.name);
      return member.plan(config, found, context);
    }
    const { asked } = found.contents as FoundContents;
    const known = !asked && joinsOthers(context) ? { ...found, contents: describeWanted(config) } : found;
    return planMember(config, context, [...ensurePackage(found.backup as FoundPackage), ...member.plan(config, known, context)]);
  },
});
