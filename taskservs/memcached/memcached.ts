import * as z from 'zod';
import {
  debianVersions,
  type HealthContext,
  listeningOn,
  packageService,
  port,
  secret,
  sh,
  size,
  tlsOnAnotherPort,
} from '../../sdk/index.js';
import {
  dropIn,
  type Listens,
  type MemcachedConfig,
  MIB,
  memcachedConf,
  RELOAD,
  reloadScript,
  USERS,
  usersFile,
  WRITE_AND_READ,
} from './memcached-files.js';

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/, { error: 'the name of a user has up to 31 letters, digits and ._-' })
    .describe('Name of the user'),
  password: secret().describe('Password of the user'),
});

const config = z
  .strictObject({
    port: port(11211).describe('TCP port'),
    users: z
      .array(user)
      .max(8, { error: 'memcached supports up to 8 users' })
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each user may be listed only once',
      })
      .default([])
      .describe('Users of the text protocol; without users it listens only on loopback'),
    tls: tlsOnAnotherPort(11212)
      .optional()
      .describe('TLS for clients; without it only this server can connect, unless `required` is false'),
    memory: size('64 MiB').describe('Memory for items, at most'),
    maxItem: size('1 MiB').describe('Size of an item, at most; up to half of the memory'),
    connections: z.int().min(1).max(65_536).default(1024).describe('Connections at the same time, at most'),
  })
  .refine(({ port, tls }) => port !== tls?.port, { path: ['tls', 'port'], error: 'the TLS port must differ from the other ports' })
  .refine(({ memory }) => memory >= 8 * MIB, { path: ['memory'], error: 'memcached needs at least 8 MiB' })
  .refine(({ maxItem }) => maxItem >= 1024, { path: ['maxItem'], error: 'the maximum size of an item is at least 1 KiB' })
  .refine(({ memory, maxItem }) => maxItem <= Math.min(memory / 2, 1024 * MIB), {
    path: ['maxItem'],
    error: 'an item can have at most half the memory, and at most 1 GiB',
  })
  .meta({ examples: [{ users: [{ name: 'shop', password: { generate: 'password' } }], memory: '256 MiB' }] });

const isPlain = ({ users, tls }: MemcachedConfig): boolean => users.length > 0 && !tls?.required;

/** Without accounts, memcached listens only on loopback. */
const listens = (config: MemcachedConfig, context: HealthContext): Listens => ({
  plain: isPlain(config) ? listeningOn('memcached', 'memcached', context) : 'loopback',
  tls: config.users.length > 0 && config.tls ? listeningOn('memcached', 'memcached-tls', context) : 'loopback',
});

/** Cache of items, kept in memory. */
export const memcached = packageService({
  name: 'memcached',
  category: 'databases',
  holds: [],
  description: 'Cache of items by key, kept in memory.',
  versions: debianVersions({ 12: '1.6', 13: '1.6' }),
  supports: { os: ['debian'] },
  config,
  endpoints: (config) => [
    { name: 'memcached', port: config.port, local: !isPlain(config) },
    ...(config.tls ? [{ name: 'memcached-tls', port: config.tls.port, tls: true, local: config.users.length === 0 }] : []),
  ],
  // Whichever has an address to wait for.
  listens: (config, context) => Object.values(listens(config, context)).find((one) => typeof one === 'object') ?? 'loopback',
  files: {
    // A restart would lose all items.
    users: { path: USERS, content: usersFile, mode: '0640', owner: 'root:memcache', reload: true },
    reloadScript: { path: RELOAD, content: reloadScript, mode: '0755', reload: true, isRead: () => false },
    dropIn: {
      path: '/etc/systemd/system/memcached.service.d/provisioning.conf',
      content: (config, at) => dropIn(config, listens(config, at)),
    },
    conf: { path: '/etc/memcached.conf', content: (config, at) => memcachedConf(config, listens(config, at)) },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'memcache',
    reload: true,
    connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
  },
  health: ({ port, users: [first] }) => [
    {
      title: 'memcached keeps an item',
      command: `${sh`exec 3<>/dev/tcp/127.0.0.1/${port}`}\n${WRITE_AND_READ}`,
      expect: 'read',
      env: first && { MEMCACHED_USER: first.name, MEMCACHED_PASSWORD: [first.password] },
    },
  ],
});
