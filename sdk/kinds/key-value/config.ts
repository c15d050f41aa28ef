import * as z from 'zod';
import { port, secret, size } from '../../../core/schema/fields.js';
import { tlsOnAnotherPort } from '../../../core/schema/service-tls.js';
import type { KeyValueConfig } from './conf.js';

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

/**
 * Creates the schema of the configuration.
 *
 * @param name `redis` or `valkey`
 */
export const createConfig = (name: string): z.ZodType<KeyValueConfig> =>
  z
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
      cluster: z
        .string()
        .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
        .optional()
        .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
      sentinelPort: port(26379).describe('TCP port of sentinel, which says to clients who leads a cluster'),
      authority: secret().optional().describe("Authority of the members' certificates, PEM; for a cluster with tls"),
    })
    .refine(({ bind, password }) => password !== undefined || bind === undefined, {
      path: ['bind'],
      error: `without a password ${name} listens on loopback only: set password, or leave bind out`,
    })
    .refine(
      ({ port, tls, cluster, sentinelPort }) => {
        const ports = [port, ...(tls ? [tls.port] : []), ...(cluster === undefined ? [] : [sentinelPort])];
        return new Set(ports).size === ports.length;
      },
      { path: ['tls', 'port'], error: 'the TLS port must differ from the other ports' },
    )
    .refine(({ cluster, password }) => cluster === undefined || password !== undefined, {
      path: ['password'],
      error: 'members of a cluster log in to each other: set password',
    })
    .refine(({ cluster, persistence }) => cluster === undefined || persistence === 'append-only', {
      path: ['persistence'],
      error: 'a member of a cluster that starts again must have all its writes: set persistence to append-only',
    })
    .refine(({ cluster, bind }) => cluster === undefined || bind === undefined, {
      path: ['bind'],
      error: 'members of a cluster reach each other by their private addresses: leave bind out',
    })
    .refine(({ cluster, tls, authority }) => (cluster !== undefined && tls !== undefined) === (authority !== undefined), {
      path: ['authority'],
      error:
        'members of a cluster with tls check the certificates of each other: set authority with cluster and tls, and only then',
    })
    .meta({
      examples: [
        { password: { generate: 'password' }, maxMemory: '256 MiB', maxMemoryPolicy: 'allkeys-lru' },
        { cluster: 'main', password: { generate: 'password' }, persistence: 'append-only' },
      ],
    });
