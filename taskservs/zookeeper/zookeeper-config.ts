import * as z from 'zod';
import { network, port, size } from '../../sdk/index.js';

const MIB = 2 ** 20;

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

/** Keys of a configuration. */
export const config = z
  .strictObject({
    port: port(2181).describe('TCP port on which clients connect'),
    allow: z
      .array(network())
      .default([])
      .describe('Networks of clients, because there are no passwords; without them it listens only on loopback'),
    heap: size('512 MiB')
      .refine((bytes) => bytes >= 64 * MIB, { error: 'the heap of Java needs at least 64 MiB' })
      .describe('Memory for the heap of Java, at most'),
    maxConnections: z.int().min(0).max(100_000).default(60).describe('Maximum connections per address; 0 for any number'),
    snapshots: z
      .int()
      .min(3)
      .max(1000)
      .default(3)
      .describe('Number of snapshots to keep, with their logs; older ones are deleted every day'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
    peerPort: port(2888).describe('TCP port on which members of a cluster follow their leader'),
    electionPort: port(3888).describe('TCP port on which members of a cluster choose their leader'),
  })
  .refine(({ cluster, allow }) => cluster === undefined || allow.length > 0, {
    path: ['allow'],
    error: 'members of a cluster reach each other as clients do: name their network',
  })
  .refine(({ port, peerPort, electionPort }) => new Set([port, peerPort, electionPort]).size === 3, {
    path: ['peerPort'],
    error: 'clients, followers and elections need three different ports',
  })
  .meta({
    examples: [
      { allow: ['10.0.0.0/24'], heap: '1 GiB' },
      { cluster: 'main', allow: ['10.0.0.0/24'] },
    ],
  });

/** A parsed configuration. `heap` is in bytes. */
export type ZookeeperConfig = z.output<typeof config>;
