import * as z from 'zod';
import { managedFileHeader } from '../../sdk/index.js';

const name = z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, {
  error: 'a name has up to 32 lower-case letters, digits, ".", "-" and "_", a letter or _ first',
});

const count = (error: string) => z.int({ error }).min(1, { error }).max(10_000, { error });

export const phpFpmConfig = z
  .strictObject({
    user: name.default('www-data').describe('User of the PHP processes, which must exist'),
    socketGroup: name.default('www-data').describe('Group with access to the socket: the group of the web server'),
    children: count('children are a whole number from 1 to 10000')
      .default(5)
      .describe('Maximum number of parallel requests: each uses a process'),
    processes: z
      .enum(['dynamic', 'static', 'ondemand'])
      .default('dynamic')
      .describe('Whether some, all or no processes are kept ready'),
    maxRequests: z.int().min(0).max(10_000_000).default(0).describe('Number of requests until a process is replaced; 0 for never'),
    extensions: z
      .array(
        z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, {
          error: 'use the name of Debian without the version: "pgsql" is php8.2-pgsql',
        }),
      )
      .refine((names) => new Set(names).size === names.length, { error: 'each extension may be listed only once' })
      .default([])
      .describe('Extensions, named like their packages without `php` and its version; an extension that is no longer named stays'),
    settings: z
      .record(
        z.string().regex(/^[a-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/, { error: 'write a name like "memory_limit"' }),
        z.union([
          z.string().regex(/^[ !#%-[\]-~]{0,1000}$/, { error: 'write one line without ", $ and \\' }),
          z.number(),
          z.boolean(),
        ]),
      )
      .default({})
      .describe('PHP settings as in php.ini, which scripts cannot change: `memory_limit: 256M`'),
  })
  .meta({ examples: [{ children: 20, extensions: ['pgsql', 'mbstring'], settings: { memory_limit: '256M' } }] });

type PhpFpmConfig = z.output<typeof phpFpmConfig>;

/** Debian's link to the socket, which is the same for all versions. */
export const SOCKET = '/run/php/php-fpm.sock';

export const PING = '/provisioning-ping';

/** The content of the pool's file. */
export function poolConf(config: PhpFpmConfig, version: string): string {
  const { user, socketGroup, children, processes, maxRequests, extensions, settings } = config;
  return [
    managedFileHeader(';'),
    // They are loaded at a start or a reload: another list is another file.
    ...(extensions.length > 0 ? [`; With the extensions ${[...extensions].sort().join(', ')}.`] : []),
    '[www]',
    `user = ${user}`,
    `listen = /run/php/php${version}-fpm.sock`,
    'listen.owner = root',
    `listen.group = ${socketGroup}`,
    'listen.mode = 0660',
    `pm = ${processes}`,
    `pm.max_children = ${children}`,
    ...(processes === 'dynamic' ? spare(children) : []),
    `pm.max_requests = ${maxRequests}`,
    `ping.path = ${PING}`,
    ...Object.entries(settings).map(([name, value]) =>
      typeof value === 'boolean'
        ? `php_admin_flag[${name}] = ${value ? 'on' : 'off'}`
        : `php_admin_value[${name}] = "${String(value)}"`,
    ),
    '',
  ].join('\n');
}

/** A quarter of the processes is kept ready, a half at most. */
function spare(children: number): string[] {
  const least = Math.max(1, Math.floor(children / 4));
  const most = Math.max(least, Math.floor(children / 2));
  return [`pm.start_servers = ${least}`, `pm.min_spare_servers = ${least}`, `pm.max_spare_servers = ${most}`];
}
