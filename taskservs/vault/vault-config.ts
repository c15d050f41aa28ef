import * as z from 'zod';
import { duration, port, secret } from '../../sdk/index.js';

/** Name of a group, as it stands in titles. */
const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

const MINUTE = 60;

const tls = z.strictObject({
  certificate: secret().describe('Certificate of the server, PEM'),
  key: secret().describe('Its key, PEM'),
  authority: secret().optional().describe('Authority that signs the certificates of members, PEM; only with `cluster`'),
});

const generated = (names: string[], parts: string[]) =>
  Object.fromEntries(parts.map((part) => [part, { generate: 'certificate', ca: 'vault', names, part }]));

/** Keys of a configuration. */
export const config = z
  .strictObject({
    port: port(8200).describe('TCP port on which clients connect'),
    clusterPort: port(8201).describe('TCP port for members; on loopback without `cluster`'),
    tls: tls.optional().describe('TLS for clients; without it, only on loopback'),
    ui: z.boolean().default(false).describe('Whether the web interface is served'),
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .optional()
      .describe('Name of the cluster that all servers with this name form; without it each server is a single one'),
    token: secret().optional().describe('Token with which the list of members is read and changed; only with `cluster`'),
    unsealWithin: duration('30 m')
      .refine((seconds) => seconds >= MINUTE && seconds <= 45 * MINUTE, {
        error: 'a member is waited for between one and 45 minutes',
      })
      .describe('Time within which a person unseals a member that was restarted, before the next one is changed'),
  })
  .refine(({ cluster, tls }) => cluster === undefined || tls?.authority !== undefined, {
    path: ['tls'],
    error: 'members of a cluster need certificates, and their authority',
  })
  .refine(({ cluster, tls }) => cluster !== undefined || tls?.authority === undefined, {
    path: ['tls', 'authority'],
    error: 'the authority is for the members of a cluster: name it by "cluster"',
  })
  .refine(({ cluster, token }) => cluster !== undefined || token === undefined, {
    path: ['token'],
    error: 'the token is for a cluster: name it by "cluster"',
  })
  .refine(({ port, clusterPort }) => port !== clusterPort, {
    path: ['clusterPort'],
    error: 'clients and members need two different ports',
  })
  .meta({
    examples: [
      { tls: generated(['vault-1', '127.0.0.1'], ['certificate', 'key']) },
      { cluster: 'main', tls: generated(['vault-1', 'vault-2', 'vault-3'], ['certificate', 'key', 'authority']) },
    ],
  });

/** A parsed configuration. Times are in seconds. */
export type VaultConfig = z.output<typeof config>;
