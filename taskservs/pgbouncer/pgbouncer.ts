import * as z from 'zod';
import {
  addressesOf,
  askAt,
  debianVersions,
  type HostContext,
  host,
  type ListenAddress,
  managedFileHeader,
  type Peer,
  packageService,
  port,
  resolveWrittenAddress,
  secret,
  secretAs,
  sh,
  TLS12_CIPHERS,
  text,
  tlsFiles,
  tlsOnItsPort,
} from '../../sdk/index.js';

const USERS = '/etc/pgbouncer/userlist.txt';
const word = () => z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, { error: 'a name has up to 63 lower-case letters, digits and _' });

const database = z.strictObject({
  name: word().describe('Database name for clients and in postgres'),
  server: host().describe('Host of the database'),
  port: port(5432).describe('TCP port of the database'),
});
const user = z.strictObject({
  name: word().describe('Role in postgres'),
  password: secret().describe('Password in postgres'),
});

const config = z
  .strictObject({
    port: port(6432).describe('TCP port for clients'),
    databases: z.array(database).min(1).describe('Databases'),
    users: z.array(user).min(1).describe('Users, with passwords'),
    mode: z.enum(['session', 'transaction']).default('session').describe('How long a client keeps a connection to postgres'),
    poolSize: z.int().min(1).max(1_000).default(20).describe('Connections to postgres for each user and database, at most'),
    clients: z.int().min(1).max(10_000).default(100).describe('Connections of clients, at most'),
    tls: tlsOnItsPort().optional().describe('TLS for clients; without it only the socket is available, unless `required` is false'),
  })
  .meta({
    examples: [{ databases: [{ name: 'shop', server: 'db' }], users: [{ name: 'shop', password: { generate: 'password' } }] }],
  });

type Config = z.output<typeof config>;

function toClients({ tls }: Config): string {
  if (!tls) return '';
  const { certificate, key } = tlsFiles('pgbouncer');
  return `client_tls_sslmode = ${tls.required ? 'require' : 'prefer'}
client_tls_key_file = ${key}
client_tls_cert_file = ${certificate}
client_tls_protocols = ${tls.minimum === 'TLSv1.3' ? 'tlsv1.3' : 'tlsv1.2,tlsv1.3'}
client_tls_ciphers = ${TLS12_CIPHERS}
`;
}

/**
 * The content of pgbouncer.ini. Only one connection to a database logs in at a time. One that hangs, since its server was
 * lost in the meantime, would keep all others waiting for 15 s.
 */
function ini(config: Config, at: { host: HostContext; peers: readonly Peer[]; listening: ListenAddress }): string {
  const { port, databases, mode, poolSize, clients } = config;
  return `${managedFileHeader(';')}
[databases]
${databases.map(({ name, server, port }) => `${name} = host=${resolveWrittenAddress(server, port, at)} port=${port}`).join('\n')}
[pgbouncer]
listen_addr = ${addressesOf(at.listening)?.join(',') ?? '*'}
listen_port = ${port}
unix_socket_dir = /run/postgresql
auth_type = scram-sha-256
auth_file = ${USERS}
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = ${clients}
server_login_retry = 1
server_connect_timeout = 5
logfile = /var/log/postgresql/pgbouncer.log
pidfile = /run/postgresql/pgbouncer.pid
${toClients(config)}`;
}

/** Lends connections to postgres. */
export const pgbouncer = packageService({
  name: 'pgbouncer',
  category: 'databases',
  holds: [],
  description: 'Pools connections to postgres, so that many clients share a few connections.',
  versions: debianVersions({ 12: '1.18', 13: '1.24' }),
  supports: { os: ['debian'] },
  after: ['postgres', 'patroni', 'haproxy'],
  config,
  endpoints: ({ port }) => [{ name: 'pgbouncer', port }],
  listens: 'pgbouncer',
  furtherPackages: ['postgresql-client'],
  files: {
    users: {
      path: USERS,
      content: ({ users }) => text`${users.flatMap(({ name, password }) => text`"${name}" ${secretAs('pgbouncer', password)}\n`)}`,
      mode: '0640',
      owner: 'root:postgres',
    },
    conf: { path: '/etc/pgbouncer/pgbouncer.ini', content: ini },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'postgres',
    reload: true,
    connect: ({ port }, { listening }) => ({ connect: `${askAt(listening)}:${port}`, starttls: 'postgres' }),
  },
  health: ({ port, databases: [first], users: [as] }, { listening }) => [
    {
      title: 'a query passes through pgbouncer',
      command: sh`psql -qtAX -h ${askAt(listening)} -p ${port} -U ${as?.name ?? ''} -d ${first?.name ?? ''} -c ${"SELECT 'answered'"}`,
      expect: 'answered',
      env: { PGPASSWORD: [as?.password ?? ''], PGCONNECT_TIMEOUT: '5' },
    },
  ],
});
