import * as z from 'zod';
import {
  debianVersions,
  type Endpoint,
  listeningOn,
  packageService,
  port,
  secret,
  sh,
  size,
  tlsOnAnotherPort,
} from '../../sdk/index.js';
import { moveOfRedis } from './move.js';
import { CONF, type RedisConfig, redisConf, renewTls } from './redis-conf.js';

const config = z
  .strictObject({
    port: port(6379).describe('TCP port'),
    password: secret().optional().describe('Password of the default user; without one it listens only on loopback'),
    bind: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .min(1)
      .optional()
      .describe(
        'Addresses to listen on, in addition to loopback; default: with a password the private address, or all addresses if it is public',
      ),
    tls: tlsOnAnotherPort(6380).optional().describe('TLS for clients, without exception unless `required` is false'),
    maxMemory: size('64 MiB').describe('Memory for data, at most'),
    maxMemoryPolicy: z
      .enum(['noeviction', 'allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-lfu', 'volatile-ttl'])
      .default('noeviction')
      .describe('Eviction policy when the memory is full'),
    persistence: z
      .enum(['snapshot', 'append-only', 'none'])
      .default('snapshot')
      .describe('Persistence: snapshots at intervals, a log of every write, or none'),
  })
  .refine(({ bind, password }) => password !== undefined || bind === undefined, {
    path: ['bind'],
    error: 'without a password redis listens on loopback only: set password, or leave bind out',
  })
  .refine(({ port, tls }) => port !== tls?.port, { path: ['tls', 'port'], error: 'the TLS port must differ from the other ports' })
  .meta({ examples: [{ password: { generate: 'password' }, maxMemory: '256 MiB', maxMemoryPolicy: 'allkeys-lru' }] });

/** Clients must use `redis`. If it is plain text, TLS is offered, too. */
function endpoints({ port, password, tls }: RedisConfig): Endpoint[] {
  const local = password === undefined;
  const plain = { name: 'redis', port, local, loopback: true } as const;
  if (!tls) return [plain];
  const encrypted = { port: tls.port, local, loopback: true, tls: true } as const;
  return tls.required ? [{ name: 'redis', ...encrypted }] : [plain, { name: 'redis-tls', ...encrypted }];
}

/** Without a password and encryption, the shell itself sends the query: no look starts a process for it. */
function pingCommand({ port, password, tls }: Pick<RedisConfig, 'port' | 'password' | 'tls'>): string {
  if (tls?.required) return sh`redis-cli --tls --insecure -p ${tls.port} ping`;
  if (password !== undefined) return sh`redis-cli -p ${port} ping`;
  return `exec 3<>/dev/tcp/127.0.0.1/${port} && echo PING >&3 && IFS= read -r -t 5 answer <&3 && echo "$answer"`;
}

/** Key-value store kept in memory. */
export const redis = packageService({
  name: 'redis',
  category: 'databases',
  holds: ({ persistence }) => (persistence === 'none' ? [] : ['/var/lib/redis']),
  moveData: (parsed, context) => moveOfRedis(parsed, context),
  description: 'Key-value store kept in memory.',
  versions: debianVersions({ 12: '7.0', 13: '8.0' }),
  supports: { os: ['debian'] },
  config,
  endpoints,
  package: 'redis-server',
  listens: ({ password, bind }, context) => (password && !bind ? listeningOn('redis', 'redis', context) : 'loopback'),
  files: {
    conf: {
      path: CONF,
      content: (config, { listening }) => redisConf(config, listening),
      mode: '0640',
      owner: 'redis:redis',
    },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'redis',
    renew: renewTls(),
    connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
  },
  health: ({ port, password, tls }) => [
    {
      title: 'redis answers PING',
      command: pingCommand({ port, tls, password }),
      expect: 'PONG',
      env: password && { REDISCLI_AUTH: [password] },
    },
  ],
});
