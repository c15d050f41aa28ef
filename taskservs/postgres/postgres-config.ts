import * as z from 'zod';
import { checkServerContents, type ListenAddress, line, network, port, secret, tlsOnItsPort } from '../../sdk/index.js';
import { checkTlsSettings } from './postgres-tls.js';

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, {
  error: 'a name has up to 63 lower-case letters, digits and _, and begins with a letter',
});

/** Settings that other keys of the configuration, or Debian, decide. */
const RESERVED = ['port', 'listen_addresses', 'data_directory', 'hba_file', 'ident_file', 'config_file', 'password_encryption'];

export const postgresConfig = z
  .strictObject({
    port: port(5432).describe('TCP port'),
    listen: z
      .array(z.union([z.literal(['*', 'localhost']), z.ipv4(), z.ipv6()]))
      .min(1)
      .optional()
      .describe(
        'Addresses to listen on, in addition to loopback. Default: the private address if `allow` is set, or all addresses if it is public or there is no private address',
      ),
    allow: z.array(network()).default([]).describe('Networks whose users may log in with a password'),
    users: z
      .array(
        z.strictObject({
          name: name
            .refine((text) => text !== 'postgres', { error: 'postgres is the superuser and cannot be managed' })
            .describe('Role'),
          password: secret().describe('Its password'),
        }),
      )
      .default([])
      .describe('Roles that may log in; a role that is no longer named stays'),
    databases: z
      .array(
        z.strictObject({
          name: name.describe('Database'),
          owner: name.optional().describe('Owner; default: postgres for a new database, otherwise unchanged'),
        }),
      )
      .default([])
      .describe('Databases, UTF-8; one that is no longer named stays'),
    tls: tlsOnItsPort().optional().describe('TLS for remote logins'),
    settings: z
      .record(z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/), z.union([line(1_000), z.number(), z.boolean()]))
      .default({})
      .describe('Further settings, as in postgresql.conf: `work_mem: 16MB`'),
    keepFormer: z
      .boolean()
      .default(true)
      .describe('Whether the data of the former version stays after an upgrade, for a roll-back'),
  })
  .superRefine(checkServerContents(RESERVED, ['postgres']))
  .superRefine(checkTlsSettings)
  .meta({
    examples: [
      {
        allow: ['10.0.0.0/8'],
        users: [{ name: 'app', password: { generate: 'password' } }],
        databases: [{ name: 'app', owner: 'app' }],
        settings: { work_mem: '16MB' },
      },
    ],
  });

export type PostgresConfig = z.output<typeof postgresConfig>;

/**
 * The addresses it listens on. Loopback is always among them: that is where health and passwords are tried.
 *
 * @param listening where it listens if the configuration lets others in and does not say it
 */
export function listenOf({ listen, allow }: PostgresConfig, listening: ListenAddress): string[] {
  if (!listen && allow.length === 0) return ['localhost'];
  // The entry declares the users who may log in, but not the addresses from which they connect.
  if (!listen) return typeof listening === 'object' ? ['localhost', listening.address] : ['*'];
  const hasLoopback = listen.some((address) => ['*', 'localhost', '0.0.0.0', '127.0.0.1'].includes(address));
  return [...new Set(hasLoopback ? listen : ['127.0.0.1', ...listen])];
}
