import * as z from 'zod';
import { duration, ownArtifact, port, secret, size } from '../../sdk/index.js';

const MIB = 2 ** 20;

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

const tls = z.strictObject({
  certificate: secret().describe('Certificate of the server, PEM'),
  key: secret().describe('Its key, PEM in the format PKCS #8'),
  authority: secret().describe('Authority that signs the certificates of clients, PEM'),
});

const peerTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, PEM'),
  key: secret().describe('Its key, PEM in the format PKCS #8'),
  authority: secret().describe('Authority that signs certificates of members only, PEM'),
});

const generated = (ca: string, names: string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));

/** Keys of a configuration. */
export const config = z
  .strictObject({
    port: port(9092).describe('TCP port on which clients connect'),
    controllerPort: port(9093).describe('TCP port on which controllers agree; on loopback without `cluster`'),
    peerPort: port(9094).describe('TCP port on which members copy data; on loopback without `cluster`'),
    tls: tls.optional().describe('TLS for clients, with a certificate of the authority; without it only on loopback'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
    peerTls: peerTls.optional().describe('TLS between the members of a cluster, with a certificate of its own authority'),
    heap: size('1 GiB')
      .refine((bytes) => bytes >= 128 * MIB, { error: 'the heap of Java needs at least 128 MiB' })
      .describe('Memory for the heap of Java, at most'),
    createTopics: z.boolean().default(false).describe('Whether a topic is created when a client names it'),
    partitions: z.int().min(1).max(10_000).default(1).describe('Partitions of a new topic, unless it says otherwise'),
    retention: duration('7 d').describe('Time for which messages are kept, unless their topic says otherwise'),
    maxMessage: size('1 MiB')
      .refine((bytes) => bytes >= 1024 && bytes <= 1024 * MIB, { error: 'a message has between 1 KiB and 1 GiB at most' })
      .describe('Maximum size of a batch'),
    artifact: ownArtifact(),
  })
  .refine(({ cluster, tls }) => cluster === undefined || tls !== undefined, {
    path: ['tls'],
    error: 'clients reach the members of a cluster over the network: they need certificates',
  })
  .refine(({ cluster, peerTls }) => cluster === undefined || peerTls !== undefined, {
    path: ['peerTls'],
    error: 'members of a cluster need certificates between them',
  })
  .refine(({ cluster, peerTls }) => cluster !== undefined || peerTls === undefined, {
    path: ['peerTls'],
    error: 'certificates between members are for a cluster: name it by "cluster"',
  })
  .refine(({ tls, peerTls }) => !tls || !peerTls || tls.authority.$secret !== peerTls.authority.$secret, {
    path: ['peerTls', 'authority'],
    error: 'the authority of clients would make members, too: use another one',
  })
  .refine(({ port, controllerPort, peerPort }) => new Set([port, controllerPort, peerPort]).size === 3, {
    path: ['peerPort'],
    error: 'clients, controllers and members need three different ports',
  })
  .meta({
    examples: [
      { tls: generated('kafka', ['mq-1']), retention: '30 d' },
      {
        ...{ cluster: 'main', tls: generated('kafka', ['mq-1', 'mq-2', 'mq-3']) },
        peerTls: generated('kafka-peers', ['mq-1', 'mq-2', 'mq-3']),
      },
    ],
  });

/** A parsed configuration. Sizes are in bytes, times in seconds. */
export type KafkaConfig = z.output<typeof config>;
