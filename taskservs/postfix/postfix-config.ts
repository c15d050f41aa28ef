import * as z from 'zod';
import { host, hostName, network, port, secret, size, tlsOnItsPort } from '../../sdk/index.js';

const local = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { error: 'the name of an alias has up to 64 letters, digits and ._-' });

const address = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*(@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)?$/, {
    error: 'write an address such as ops@example.org, or the name of an account on the host',
  });

const isOwnHost = (name: string): boolean => ['localhost', '127.0.0.1', '::1'].includes(name);

const relay = z
  .strictObject({
    host: host().describe('Name or address of the relay'),
    port: port(587).describe('TCP port of the relay; 465 encrypts the whole connection'),
    account: z
      .strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._+@-]{0,127}$/, { error: 'the name of an account has letters, digits and ._+@-' })
          .describe('Account at the relay'),
        password: secret().describe('Its password'),
      })
      .optional()
      .describe('Login at the relay; default: no login'),
    tls: z
      .enum(['verified', 'required', 'opportunistic'])
      .default('verified')
      .describe('Encryption to the relay: with a matching certificate, with any certificate, or only if available'),
  })
  .refine(({ account, tls, host }) => !account || tls !== 'opportunistic' || isOwnHost(host), {
    path: ['tls'],
    error: 'an account needs an encrypted relay: set verified or required',
  });

export const postfixConfig = z
  .strictObject({
    hostname: hostName().optional().describe('Host name in the greeting; default: the name of the server'),
    origin: hostName().optional().describe('Domain of senders without one; default: `hostname`'),
    relay: relay.optional().describe('Mail server for all outgoing mail; default: the server of each domain'),
    aliases: z
      .array(
        z.strictObject({
          name: local.describe('Account on this host: `root`'),
          to: z.array(address).min(1).describe('Addresses that receive the mail'),
        }),
      )
      .refine((aliases) => new Set(aliases.map(({ name }) => name)).size === aliases.length, {
        error: 'each alias may be listed only once',
      })
      .default([])
      .describe('Aliases of accounts on this host; without an alias mail is kept in /var/mail'),
    allow: z.array(network()).default([]).describe('Networks whose hosts may send mail; without them it listens only on loopback'),
    maxMessage: size('10 MiB').describe('Size of a mail, at most'),
    tls: tlsOnItsPort().optional().describe('TLS for senders; without it only this server can send, unless `required` is false'),
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
