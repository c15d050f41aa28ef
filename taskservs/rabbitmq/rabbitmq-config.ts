import * as z from 'zod';
import { port, secret, size, tlsOnAnotherPort } from '../../sdk/index.js';

/** The account of the server's own, which logs in on the server itself only. */
const OWN_USER = 'guest';

/** The vhost of a new server. */
export const DEFAULT_VHOST = '/';

const account = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: 'the name of an account has up to 63 letters, digits and ._-' });

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
    examples: [{ users: [{ name: 'shop', password: { generate: 'password' } }], vhosts: [{ name: 'shop', users: ['shop'] }] }],
  });

export type RabbitmqConfig = z.output<typeof rabbitmqConfig>;
