import * as z from 'zod';
import { port, secret, size, tlsOnAnotherPort } from '../../sdk/index.js';

/** The account of the server's own, which logs in on the server itself only. */
const OWN_USER = 'guest';

/** The vhost of a new server. */
export const DEFAULT_VHOST = '/';

const account = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: 'the name of an account has up to 63 letters, digits and ._-' });

const peerTls = z.strictObject({
  certificate: secret().describe('Certificate of the members, with the names of all servers, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().describe('Authority that signs certificates of members only, PEM'),
});

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

export const rabbitmqConfig = z
  .strictObject({
    port: port(5672).describe('TCP port on which clients connect, by AMQP'),
    metricsPort: port(15692).describe('TCP port on which /metrics is served'),
    users: z
      .array(
        z.strictObject({
          name: account.refine((name) => name !== OWN_USER, { error: 'the server reserves this account' }).describe('Account'),
          password: secret().describe('Its password'),
        }),
      )
      .default([])
      .describe('Accounts; without them it listens only on loopback. An account that is no longer named stays'),
    vhosts: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^(\/|[A-Za-z0-9][A-Za-z0-9._-]{0,99})$/, {
              error: 'the name of a vhost is / or has up to 100 letters, digits and ._-',
            })
            .describe('Vhost; `/` always exists: list it only to give accounts access'),
          users: z.array(account).default([]).describe('Accounts with all rights in the vhost'),
        }),
      )
      .default([])
      .describe('Vhosts; a vhost that is no longer named stays'),
    tls: tlsOnAnotherPort(5671)
      .optional()
      .describe('TLS for clients; without it only this server can connect, unless `required` is false'),
    memoryShare: z.number().min(0.05).max(0.9).default(0.4).describe('Share of the memory at which publishers must wait'),
    minFreeDisk: size('1 GiB').describe('Free disk space below which publishers wait'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
    cookie: secret().optional().describe('Secret by which members of a cluster know each other: 20 to 255 characters'),
    peerTls: peerTls.optional().describe('TLS between the members of a cluster, with a certificate of its own authority'),
  })
  .refine(({ cluster, users }) => cluster === undefined || users.length > 0, {
    path: ['users'],
    error: 'clients of a cluster log in: add a user',
  })
  .refine(({ cluster, cookie, peerTls }) => cluster === undefined || (cookie && peerTls), {
    path: ['peerTls'],
    error: 'members of a cluster need certificates between them, and a cookie: set peerTls and cookie',
  })
  .refine(({ cluster, cookie, peerTls }) => cluster !== undefined || !(cookie || peerTls), {
    path: ['cluster'],
    error: 'peerTls and cookie are for a cluster: name it by "cluster"',
  })
  .refine(({ port, metricsPort, tls }) => ![port, metricsPort].includes(tls?.port ?? 0), {
    path: ['tls', 'port'],
    error: 'the TLS port must differ from the other ports',
  })
  .superRefine(({ users, vhosts }, context) => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const accounts = users.map(({ name }) => name);
    vhosts.forEach(({ users }, index) => {
      const unknown = users.find((name) => !accounts.includes(name));
      if (unknown !== undefined) wrong(['vhosts', index, 'users'], `"${unknown}" is not in users`);
    });
    for (const [key, names] of Object.entries({ users: accounts, vhosts: vhosts.map(({ name }) => name) })) {
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) wrong([key], `"${twice}" is named twice`);
    }
  })
  .meta({
    examples: [
      { users: [{ name: 'shop', password: { generate: 'password' } }], vhosts: [{ name: 'shop', users: ['shop'] }] },
      {
        ...{ cluster: 'main', cookie: { generate: 'password' } },
        users: [{ name: 'shop', password: { generate: 'password' } }],
        vhosts: [{ name: 'shop', users: ['shop'] }],
        peerTls: Object.fromEntries(
          ['certificate', 'key', 'authority'].map((part) => [
            part,
            { generate: 'certificate', ca: 'rabbitmq-peers', names: ['mq-1', 'mq-2', 'mq-3'], part },
          ]),
        ),
      },
    ],
  });

export type RabbitmqConfig = z.output<typeof rabbitmqConfig>;
