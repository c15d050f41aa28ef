import * as z from 'zod';
import { port, secret, size, tlsOnItsPort } from '../../sdk/index.js';
import { ADMIN } from './nats-conf.js';

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

const peerTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, with all their names, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs certificates of members only, PEM'),
});

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: 'the name of a user has up to 63 letters, digits and ._-' })
    .describe('Name of the user'),
  password: secret().describe('Password of the user'),
});

/** Keys of a configuration. */
export const config = z
  .strictObject({
    port: port(4222).describe('TCP port on which clients connect'),
    monitoringPort: port(8222).describe('TCP port of the monitoring pages, on loopback'),
    users: z
      .array(user)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each user may be listed only once',
      })
      .default([])
      .describe('Users; without users it listens only on loopback'),
    tls: tlsOnItsPort()
      .refine(({ minimum }) => minimum === 'TLSv1.2', { path: ['minimum'], error: 'nats 2.9 always allows TLS 1.2' })
      .optional()
      .describe('TLS for clients'),
    maxPayload: size('1 MiB').describe('Size of a message, at most'),
    jetStream: z.boolean().default(false).describe('Whether it keeps streams on disk'),
    maxStore: size('1 GiB').describe('Maximum disk space of all streams'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
    clusterPort: port(6222).describe('TCP port for members of a cluster'),
    peerTls: peerTls.optional().describe('TLS between the members of a cluster, with a certificate of its own authority'),
    adminPassword: secret().optional().describe('Password of the account by which members administer their cluster'),
  })
  .refine(({ cluster, jetStream, users }) => cluster === undefined || (jetStream && users.length > 0), {
    path: ['jetStream'],
    error: 'a cluster keeps streams and has users: set jetStream, and add a user',
  })
  .refine(({ cluster, peerTls, adminPassword }) => cluster === undefined || (peerTls && adminPassword), {
    path: ['peerTls'],
    error: 'members of a cluster need certificates between them, and an administrator: set peerTls and adminPassword',
  })
  .refine(({ cluster, peerTls, adminPassword }) => cluster !== undefined || !(peerTls || adminPassword), {
    path: ['cluster'],
    error: 'peerTls and adminPassword are for a cluster: name it by "cluster"',
  })
  .refine(({ cluster, users }) => cluster === undefined || users.every(({ name }) => name !== ADMIN), {
    path: ['users'],
    error: `${ADMIN} is the administrator of a cluster: use another name`,
  })
  .meta({
    examples: [
      { users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true },
      {
        ...{ cluster: 'main', jetStream: true, users: [{ name: 'shop', password: { generate: 'password' } }] },
        adminPassword: { generate: 'password' },
        peerTls: Object.fromEntries(
          ['certificate', 'key', 'authority'].map((part) => [
            part,
            { generate: 'certificate', ca: 'nats-peers', names: ['mq-1', 'mq-2', 'mq-3'], part },
          ]),
        ),
      },
    ],
  });
