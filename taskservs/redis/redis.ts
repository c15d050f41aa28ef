import * as z from 'zod';
import {
  debian,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  ensureWait,
  file,
  listeningOn,
  port,
  secret,
  sh,
  size,
  systemd,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { type RedisConfig, redisConf } from './redis-conf.js';

const CONF = '/etc/redis/redis.conf';

const config = z
  .strictObject({
    port: port(6379).describe('TCP port it listens on'),
    password: secret().optional().describe('Password of the default user; without one it listens on loopback only'),
    bind: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .min(1)
      .optional()
      .describe('Addresses it listens on besides loopback; default: with a password the private one, or all where it is public'),
    maxMemory: size('64 MiB').describe('Memory for data, at most'),
    maxMemoryPolicy: z
      .enum(['noeviction', 'allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-lfu', 'volatile-ttl'])
      .default('noeviction')
      .describe('What gives way when the memory is full'),
    persistence: z
      .enum(['snapshot', 'append-only', 'none'])
      .default('snapshot')
      .describe('How data survives a restart: snapshots now and then, a log of every write, or not at all'),
  })
  .refine(({ bind, password }) => password !== undefined || bind === undefined, {
    path: ['bind'],
    error: 'without a password redis listens on loopback only: set password, or leave bind out',
  })
  .meta({ examples: [{ password: { generate: 'password' }, maxMemory: '256 MiB', maxMemoryPolicy: 'allkeys-lru' }] });

/** Key-value store kept in memory. */
export const redis = defineTaskserv({
  name: 'redis',
  category: 'databases',
  description: 'Key-value store kept in memory.',
  versions: { default: '7.0', supported: ['7.0'], source: 'debian' },
  supports: { os: ['debian'] },
  config,
  uses: () => [],
  endpoints: (config: RedisConfig) => [{ name: 'redis', port: config.port, local: config.password === undefined }],
  facts: () => ({
    package: debian('redis-server'),
    conf: file(CONF),
    wait: file(waitFile('redis-server')),
    unit: systemd('redis-server', [CONF]),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, context) {
    const listening = config.password && !config.bind ? listeningOn('redis', 'redis', context) : 'loopback';
    const before = [
      ...ensurePackage(found.package),
      ...ensureFile(found.conf, { content: redisConf(config, listening), mode: '0640', owner: 'redis:redis' }),
      ...ensureWait(found.wait, 'redis-server', listening),
    ];
    return [...before, ...ensureService(found.unit, { state: 'running', enabled: true, reads: [CONF] }, before)];
  },

  health: (config) => [
    {
      title: 'redis answers PING',
      command: sh`redis-cli -p ${config.port} ping`,
      expect: 'PONG',
      env: config.password && { REDISCLI_AUTH: [config.password] },
    },
  ],

  remove: (_, found) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.conf),
    ...ensureNoFile(found.wait),
  ],
});
