import * as z from 'zod';
import {
  addressesOf,
  debianVersions,
  hostPart,
  type Listening,
  listeningOn,
  packageService,
  port,
  secret,
  sh,
  size,
  text,
} from '../../sdk/index.js';

const USERS = '/etc/memcached.users';
const MIB = 2 ** 20;

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/, { error: 'a user is named by up to 31 letters, digits and ._-' })
    .describe('Name of the user'),
  password: secret().describe('Password of the user'),
});

const config = z
  .strictObject({
    port: port(11211).describe('TCP port it listens on'),
    users: z
      .array(user)
      .max(8, { error: 'memcached knows up to 8 users' })
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, { error: 'each user is named once' })
      .default([])
      .describe('Who may log in, by the text protocol; without users it listens on loopback only'),
    memory: size('64 MiB').describe('Memory for items, at most'),
    maxItem: size('1 MiB').describe('Size of an item, at most; up to half of the memory'),
    connections: z.int().min(1).max(65_536).default(1024).describe('Connections at the same time, at most'),
  })
  .refine(({ memory }) => memory >= 8 * MIB, { path: ['memory'], error: 'memcached takes at least 8 MiB' })
  .refine(({ maxItem }) => maxItem >= 1024, { path: ['maxItem'], error: 'an item may take at least 1 KiB' })
  .refine(({ memory, maxItem }) => maxItem <= Math.min(memory / 2, 1024 * MIB), {
    path: ['maxItem'],
    error: 'an item may take up to half of the memory, and up to 1 GiB',
  })
  .meta({ examples: [{ users: [{ name: 'shop', password: { generate: 'password' } }], memory: '256 MiB' }] });

type Config = z.output<typeof config>;

/** Options, a line each; a wrapper of Debian's hands them to the program. */
function conf({ port, users, memory, maxItem, connections }: Config, listening: Listening): string {
  const lines = [
    '# Written by provisioning; changes by hand are taken back.',
    '-u memcache',
    '-P /run/memcached/memcached.pid',
    `-p ${port}`,
    ...(addressesOf(listening) ?? []).map((address) => `-l ${hostPart(address)}`),
    `-m ${Math.floor(memory / MIB)}`,
    `-I ${Math.floor(maxItem / 1024)}k`,
    `-c ${connections}`,
    ...(users.length > 0 ? [`-Y ${USERS}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The unit may do nothing to processes of other users, and memcached is one. */
const DROP_IN = `# Written by provisioning; changes by hand are taken back.
[Service]
ExecReload=+/bin/kill -HUP $MAINPID
`;

/** Writes an item and reads it, as the user of its environment. */
const WRITE_AND_READ = `export LC_ALL=C
if [ -n "\${MEMCACHED_USER-}" ]; then
  login="$MEMCACHED_USER $MEMCACHED_PASSWORD"
  printf 'set provisioning 0 0 %s\\r\\n%s\\r\\n' "\${#login}" "$login" >&3
fi
printf 'set provisioning.health 0 60 2\\r\\nok\\r\\nget provisioning.health\\r\\n' >&3
while IFS= read -r -t 3 line <&3; do
  case "$line" in
    'VALUE provisioning.health 0 2'*) echo read; exit ;;
    *ERROR* | END*) echo "$line"; exit 1 ;;
  esac
done
exit 1`;

/** Cache of items, kept in memory. */
export const memcached = packageService({
  name: 'memcached',
  category: 'databases',
  description: 'Cache of items by key, kept in memory.',
  versions: debianVersions({ 12: '1.6', 13: '1.6' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, users }) => [{ name: 'memcached', port, local: users.length === 0 }],
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('memcached', 'memcached', context) : 'loopback'),
  files: {
    users: {
      path: USERS,
      content: ({ users }) =>
        users.length > 0 ? text`${users.flatMap(({ name, password }) => text`${name}:${password}\n`)}` : undefined,
      mode: '0640',
      owner: 'root:memcache',
      // A restart would lose all items.
      reload: true,
    },
    dropIn: {
      path: '/etc/systemd/system/memcached.service.d/provisioning.conf',
      // Without users there is nothing to reload.
      content: ({ users }) => (users.length > 0 ? DROP_IN : undefined),
    },
    conf: { path: '/etc/memcached.conf', content: (config, { listening }) => conf(config, listening) },
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
