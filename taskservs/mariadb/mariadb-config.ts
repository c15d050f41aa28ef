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
  })
  .superRefine(checkServerContents(RESERVED))
  .superRefine(({ tls, settings }, context) => {
    for (const name of OF_TLS.filter((name) => tls && name in settings)) {
      context.addIssue({ code: 'custom', path: ['settings', name], message: 'tls determines this setting: remove it here' });
    }
  })
  .meta({
    examples: [
      {
        users: [{ name: 'app', password: { generate: 'password' } }],
        databases: [{ name: 'app', owner: 'app' }],
        settings: { max_connections: 200 },
      },
    ],
  });

export type MariadbConfig = z.output<typeof mariadbConfig>;
