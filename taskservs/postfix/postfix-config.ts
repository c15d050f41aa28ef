import * as z from 'zod';
import { host, hostName, network, port, secret, size, tlsOnItsPort } from '../../sdk/index.js';

const local = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { error: 'the name of an alias is up to 64 letters, digits and ._-' });

const address = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*(@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)?$/, {
    error: 'an address is written as ops@example.org, or as the name of an account of the host',
  });

const isOwnHost = (name: string): boolean => ['localhost', '127.0.0.1', '::1'].includes(name);

const relay = z
  .strictObject({
    host: host().describe('Name or address of the relay'),
    port: port(587).describe('TCP port of the relay; on 465 all of the connection is encrypted'),
    account: z
      .strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._+@-]{0,127}$/, { error: 'an account is named by letters, digits and ._+@-' })
          .describe('Account at the relay'),
        password: secret().describe('Its password'),
      })
      .optional()
      .describe('What it logs in with at the relay; default: nothing'),
    tls: z
      .enum(['verified', 'required', 'opportunistic'])
      .default('verified')
      .describe('Encryption to the relay: with a certificate of its name, with any, or where it offers some'),
  })
  .refine(({ account, tls, host }) => !account || tls !== 'opportunistic' || isOwnHost(host), {
    path: ['tls'],
    error: 'an account is told to an encrypted relay only: say verified or required',
  });

export const postfixConfig = z
  .strictObject({
    hostname: hostName().optional().describe('Name by which it greets other mail servers; default: that of the server'),
    origin: hostName().optional().describe('Domain of senders that are written without one; default: `hostname`'),
    relay: relay.optional().describe('Mail server that takes all mail from here; default: those of each domain'),
    aliases: z
      .array(
        z.strictObject({
          name: local.describe('Who is written to, on this host: `root`'),
          to: z.array(address).min(1).describe('Addresses that get it instead'),
        }),
      )
      .refine((aliases) => new Set(aliases.map(({ name }) => name)).size === aliases.length, { error: 'each alias is named once' })
      .default([])
      .describe('Where mail for accounts of this host goes; without an alias it is kept in /var/mail'),
    allow: z
      .array(network())
      .default([])
      .describe('Networks whose hosts may send mail through it; without them it listens on loopback only'),
    maxMessage: size('10 MiB').describe('Size of a mail, at most'),
    tls: tlsOnItsPort()
      .optional()
      .describe('Those who send mail through it do so by TLS; without it only this server, unless `required` is false'),
  })
  .meta({
    examples: [
      {
        hostname: 'web-1.example.org',
        relay: { host: 'smtp.example.org', account: { name: 'web', password: { generate: 'password' } } },
        aliases: [{ name: 'root', to: ['ops@example.org'] }],
      },
    ],
  });

export type PostfixConfig = z.output<typeof postfixConfig>;
