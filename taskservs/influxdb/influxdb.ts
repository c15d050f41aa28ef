import * as z from 'zod';
import { askAt, debianVersions, duration, listeningOn, packageService, port, secret, sh, tlsAlone } from '../../sdk/index.js';
import { CONF, DROP_IN, influxdbConf, SCRIPT, STATEMENTS, script, statements } from './influxdb-files.js';

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, {
  error: 'a name has up to 63 letters, digits, _ and -, and begins with a letter',
});
const account = z.strictObject({ name: name.describe('Account'), password: secret().describe('Its password') });

const database = z.strictObject({
  name: name.refine((text) => text !== '_internal', { error: 'the server reserves this database' }).describe('Database'),
  owner: name.optional().describe('Account from `users` that may read and write it'),
  retention: z
    .union([z.literal('forever'), duration('52 w').unwrap()])
    .refine((retention) => retention === 'forever' || retention >= 3600, { error: 'keep data for at least one hour' })
    .optional()
    .describe('Retention of data; default: unlimited in a new database, otherwise unchanged'),
});

const isOnce = (named: readonly { name: string }[]) => new Set(named.map(({ name }) => name)).size === named.length;

const config = z
  .strictObject({
    port: port(8086).describe('TCP port for HTTP'),
    backupPort: port(8088).describe('TCP port for backups, on loopback'),
    admin: account.optional().describe('Administrator; without one no login is possible, and it listens only on loopback'),
    users: z.array(account).default([]).describe('Further accounts; an account that is no longer named stays'),
    tls: tlsAlone()
      .refine(({ minimum }) => minimum === 'TLSv1.2', { path: ['minimum'], error: 'influxdb 1.6 always allows TLS 1.2' })
      .optional()
      .describe('HTTPS for all requests'),
    databases: z
      .array(database)
      .refine(isOnce, { error: 'each database may be listed only once' })
      .default([])
      .describe('Databases; one that is no longer named stays'),
  })
  .refine(({ admin, users }) => admin !== undefined || users.length === 0, {
    path: ['users'],
    error: 'without an administrator no login is possible: set admin',
  })
  .refine(({ admin, users }) => isOnce([...users, ...(admin ? [admin] : [])]), {
    path: ['users'],
    error: 'each account may be listed only once',
  })
  .refine(({ users, databases }) => databases.every(({ owner }) => !owner || users.some(({ name }) => name === owner)), {
    path: ['databases'],
    error: 'each owner must be in users',
  })
  .meta({
    examples: [
      {
        admin: { name: 'admin', password: { generate: 'password' } },
        users: [{ name: 'sensors', password: { generate: 'password' } }],
        databases: [{ name: 'sensors', owner: 'sensors', retention: '30 d' }],
      },
    ],
  });

/** Keeps measurements over time. */
export const influxdb = packageService({
  name: 'influxdb',
  category: 'databases',
  holds: ['/var/lib/influxdb'],
  description: 'Time series database that stores measurements and answers queries.',
  versions: debianVersions({ 12: '1.6', 13: '1.6' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, backupPort, admin, tls }) => [
    { name: 'influxdb', port, local: admin === undefined, ...(tls && { tls: true }) },
    { name: 'influxdb-backup', port: backupPort, local: true },
  ],
  // The script before its start needs the last two.
  furtherPackages: ['influxdb-client', 'curl', 'iproute2'],
  listens: ({ admin }, context) => (admin ? listeningOn('influxdb', 'influxdb', context) : 'loopback'),
  files: {
    conf: { path: CONF, content: (config, { listening }) => influxdbConf(config, listening) },
    statements: { path: STATEMENTS, content: statements, mode: '0600' },
    script: { path: SCRIPT, content: script, mode: '0755' },
    dropIn: {
      path: '/etc/systemd/system/influxdb.service.d/provisioning.conf',
      content: (config) => statements(config) && DROP_IN,
    },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'influxdb',
    connect: ({ port }, { listening }) => ({ connect: `${askAt(listening)}:${port}` }),
  },
  health: ({ port, admin, tls }, { listening }) => [
    {
      title: 'influxdb answers a query',
      command: sh`influx ${tls ? ['-ssl', '-unsafeSsl'] : []} -host ${askAt(listening).replace(/^\[|\]$/g, '')} -port ${port} -format csv -execute 'SHOW DATABASES'`,
      expect: 'name,name',
      env: admin && { INFLUX_USERNAME: admin.name, INFLUX_PASSWORD: [admin.password] },
    },
  ],
});
