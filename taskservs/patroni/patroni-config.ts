import * as z from 'zod';
import { checkServerContents, duration, line, network, port, secret, size, tlsOnItsPort } from '../../sdk/index.js';
import { ARCHIVE_PARAMETERS, createBackupsSchema } from './backups-config.js';
import { tlsParameters } from './places.js';

/** Roles that Patroni itself uses. */
export const SUPERUSER = 'postgres';
export const REPLICATOR = 'replicator';

const role = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, {
  error: 'a name has up to 63 lower-case letters, digits and _, and begins with a letter',
});

/** Networks that no address of the internet is in. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Parameters that other keys of the configuration, or Patroni, decide. */
const RESERVED = [
  ...['port', 'listen_addresses', 'data_directory', 'hba_file', 'ident_file', 'config_file', 'password_encryption'],
  ...['synchronous_standby_names', 'synchronous_commit', 'primary_conninfo', 'primary_slot_name', 'hot_standby', 'cluster_name'],
  ...['wal_level', 'wal_log_hints', 'unix_socket_directories', 'recovery_target_timeline', 'fsync', 'full_page_writes'],
];

const etcdTls = z.strictObject({
  certificate: secret().describe('Client certificate for etcd, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs the certificates of etcd, PEM'),
});

const apiTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, for servers and clients, PEM. It has the names of all members'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs the certificates of members and clients, PEM'),
});

const passwords = z.strictObject({
  superuser: secret().describe(`Password of the role ${SUPERUSER}`),
  replication: secret().describe(`Password of the role ${REPLICATOR}`),
  api: secret().describe("Password for changes by Patroni's REST API"),
});

export const patroniConfig = z
  .strictObject({
    cluster: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/, { error: 'a name has up to 40 lower-case letters, digits and dashes' })
      .default('main')
      .describe('Cluster name, the same for all members'),
    port: port(5432).describe('TCP port of PostgreSQL'),
    apiPort: port(8008).describe("TCP port of Patroni's REST API"),
    etcdTls: etcdTls.optional().describe('Certificate for etcd, if etcd has TLS'),
    apiTls: apiTls.optional().describe("TLS of Patroni's REST API; changes by it then need a client certificate"),
    passwords: passwords.describe('Passwords that all members share'),
    members: z
      .array(network())
      .min(1)
      .default(PRIVATE_NETWORKS)
      .describe('Networks of the members, for replication. Default: all private networks'),
    allow: z.array(network()).default([]).describe('Networks whose users may log in with a password'),
    users: z
      .array(
        z.strictObject({
          name: role
            .refine((text) => text !== SUPERUSER && text !== REPLICATOR, { error: 'Patroni manages this role: see passwords' })
            .describe('Role'),
          password: secret().describe('Its password'),
        }),
      )
      .default([])
      .describe('Roles that may log in; a role that is no longer named stays'),
    databases: z
      .array(
        z.strictObject({
          name: role.describe('Database'),
          owner: role.optional().describe('Owner; default: postgres for a new database, otherwise unchanged'),
        }),
      )
      .default([])
      .describe('Databases, UTF-8; one that is no longer named stays'),
    tls: tlsOnItsPort().optional().describe('TLS for remote logins'),
    settings: z
      .record(z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/), z.union([line(1_000), z.number(), z.boolean()]))
      .default({})
      .describe('Further settings of PostgreSQL on all members: `work_mem: 16MB`'),
    backups: createBackupsSchema().optional().describe('Backups by pgbackrest, for a restore to any moment'),
    synchronous: z
      .enum(['strict', 'preferred', 'off'])
      .default('strict')
      .describe('`strict`: a commit waits for a second member. `preferred`: only while one is there. `off`: never'),
    maximumLag: size('1 MiB').describe('Maximum WAL that a member may lack to become the leader, with `synchronous: off`'),
    healthyLag: size('64 MiB').describe('Maximum WAL that a healthy member may lack'),
    ttl: duration('8 s').describe('Time after which a silent leader loses its lead; at least 20 s on Debian 13'),
    loopWait: duration('1 s').describe('Time between two looks of Patroni'),
    retryTimeout: duration('3 s').describe('Time for which Patroni repeats a failed request to etcd'),
  })
  .refine(({ port, apiPort }) => port !== apiPort, { path: ['apiPort'], error: 'port and apiPort must differ' })
  .refine(({ loopWait, retryTimeout, ttl }) => loopWait + 2 * retryTimeout <= ttl, {
    path: ['ttl'],
    error: 'ttl must be at least loopWait and twice retryTimeout: a leader that cannot renew its lead must stop before it ends',
  })
  .refine(({ retryTimeout }) => retryTimeout >= 3, { path: ['retryTimeout'], error: 'Patroni needs at least 3 s' })
  .superRefine(checkServerContents(RESERVED, [SUPERUSER]))
  .superRefine(({ tls, settings, backups }, context) => {
    for (const name of backups ? ARCHIVE_PARAMETERS.filter((name) => name in settings) : [])
      context.addIssue({ code: 'custom', path: ['settings', name], message: 'backups determines this setting: remove it here' });
    for (const name of Object.keys(tlsParameters(tls)).filter((name) => name in settings))
      context.addIssue({ code: 'custom', path: ['settings', name], message: 'tls determines this setting: remove it here' });
  })
  .meta({
    examples: [
      {
        cluster: 'shop',
        etcdTls: Object.fromEntries(
          ['certificate', 'key', 'authority'].map((part) => [
            part,
            { generate: 'certificate', ca: 'etcd', names: ['patroni'], part },
          ]),
        ),
        passwords: Object.fromEntries(['superuser', 'replication', 'api'].map((name) => [name, { generate: 'password' }])),
        allow: ['10.0.0.0/8'],
        users: [{ name: 'app', password: { generate: 'password' } }],
        databases: [{ name: 'app', owner: 'app' }],
      },
    ],
  });

export type PatroniConfig = z.output<typeof patroniConfig>;
