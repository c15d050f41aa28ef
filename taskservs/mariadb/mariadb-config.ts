import * as z from 'zod';
import { checkServerContents, line, port, secret, size, tlsOnItsPort } from '../../sdk/index.js';

const name = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, {
  error: 'a name has up to 32 lower-case letters, digits and _, and begins with a letter',
});

/** Accounts and databases of the server's own. */
const OWN_USERS = ['root', 'mysql'];
const OWN_DATABASES = ['mysql', 'information_schema', 'performance_schema', 'sys'];

/** Settings that `tls` decides if it is set. */
const OF_TLS = ['ssl_cert', 'ssl_key', 'ssl_cipher', 'tls_version', 'require_secure_transport'];

/** Settings that other keys of the configuration, or Debian, decide. */
const RESERVED = ['port', 'bind_address', 'datadir', 'socket', 'user', 'innodb_buffer_pool_size'];

/** Settings that a cluster decides. */
const OF_CLUSTER = ['binlog_format', 'default_storage_engine', 'innodb_autoinc_lock_mode'];

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

const peerTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, with all their names, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs certificates of members only, PEM'),
});

export const mariadbConfig = z
  .strictObject({
    port: port(3306).describe('TCP port'),
    users: z
      .array(
        z.strictObject({
          name: name.refine((text) => !OWN_USERS.includes(text), { error: 'the server reserves this account' }).describe('Account'),
          password: secret().describe('Its password'),
        }),
      )
      .default([])
      .describe(
        'Accounts that may log in from anywhere; without them it listens only on loopback. An account that is no longer named stays',
      ),
    databases: z
      .array(
        z.strictObject({
          name: name
            .refine((text) => !OWN_DATABASES.includes(text), { error: 'the server reserves this database' })
            .describe('Database'),
          owner: name.optional().describe('Account with all rights in the database'),
        }),
      )
      .default([])
      .describe('Databases, UTF-8; one that is no longer named stays'),
    bufferPool: size('128 MiB').describe('Memory for data and indexes'),
    tls: tlsOnItsPort().optional().describe('TLS for remote logins'),
    settings: z
      .record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.union([line(1_000), z.number(), z.boolean()]))
      .default({})
      .describe('Further settings, as in my.cnf: `max_connections: 200`'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the Galera cluster that all servers with this name form; without it each server is a single one'),
    clusterPort: port(4567).describe('TCP port by which members of a cluster agree'),
    incrementalPort: port(4568).describe('TCP port on which a member that was away gets the writes that it missed'),
    transferPort: port(4444).describe('TCP port on which a new member gets all data'),
    peerTls: peerTls.optional().describe('TLS between the members of a cluster, with a certificate of its own authority'),
  })
  .superRefine(checkServerContents(RESERVED))
  .superRefine(({ tls, settings }, context) => {
    for (const name of OF_TLS.filter((name) => tls && name in settings)) {
      context.addIssue({ code: 'custom', path: ['settings', name], message: 'tls determines this setting: remove it here' });
    }
  })
  .refine(({ cluster, peerTls }) => cluster === undefined || peerTls !== undefined, {
    path: ['peerTls'],
    error: 'members of a cluster give all data to each other, and know each other by certificates only: set peerTls',
  })
  .refine(({ cluster, peerTls }) => cluster !== undefined || peerTls === undefined, {
    path: ['cluster'],
    error: 'peerTls is for a cluster: name it by "cluster"',
  })
  .refine(
    ({ port, clusterPort, incrementalPort, transferPort }) =>
      new Set([port, clusterPort, incrementalPort, transferPort]).size === 4,
    { path: ['clusterPort'], error: 'clients, the cluster and both transfers need four different ports' },
  )
  .superRefine(({ cluster, settings }, context) => {
    if (cluster === undefined) return;
    for (const name of Object.keys(settings).filter((name) => name.startsWith('wsrep_') || OF_CLUSTER.includes(name)))
      context.addIssue({ code: 'custom', path: ['settings', name], message: 'cluster determines this setting: remove it here' });
  })
  .meta({
    examples: [
      {
        users: [{ name: 'app', password: { generate: 'password' } }],
        databases: [{ name: 'app', owner: 'app' }],
        settings: { max_connections: 200 },
      },
      {
        cluster: 'main',
        users: [{ name: 'app', password: { generate: 'password' } }],
        databases: [{ name: 'app', owner: 'app' }],
        peerTls: Object.fromEntries(
          ['certificate', 'key', 'authority'].map((part) => [
            part,
            { generate: 'certificate', ca: 'mariadb-peers', names: ['db-1', 'db-2', 'db-3'], part },
          ]),
        ),
      },
    ],
  });

export type MariadbConfig = z.output<typeof mariadbConfig>;
