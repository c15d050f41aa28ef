import * as z from 'zod';
import { absolutePath, askAt, debianVersions, listeningOn, packageService, port, secret, sh } from '../../sdk/index.js';
import { accounts, configYml, dropIn, HTPASSWD_SCRIPT, PATHS, storageOf } from './registry-files.js';

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: 'the name of a user has up to 63 letters, digits and ._-' })
    .describe('Name of the user'),
  password: secret().describe('Password of the user, one line'),
});

/** Part of a generated certificate, in the example. */
const part = (part: string) => ({ generate: 'certificate', ca: 'internal', names: ['registry.internal'], part });

const config = z
  .strictObject({
    port: port(5000).describe('TCP port on which images are pushed and pulled'),
    metricsPort: port(5001).describe('TCP port of /metrics, on loopback'),
    users: z
      .array(user)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each user may be listed only once',
      })
      .default([])
      .describe('Users that may push and pull; without users it listens only on loopback'),
    tls: z
      .strictObject({
        certificate: secret().describe('Certificate with its chain, PEM'),
        key: secret().describe('Private key, PEM'),
      })
      .optional()
      .describe('Certificate for HTTPS; default: HTTP'),
    storagePath: absolutePath()
      .optional()
      .describe('Folder of the images; default: the folder in use, otherwise /var/lib/docker-registry'),
    deletion: z.boolean().default(true).describe('Whether images may be deleted by the API'),
  })
  .meta({
    examples: [
      { users: [{ name: 'ci', password: { generate: 'password' } }], tls: { certificate: part('certificate'), key: part('key') } },
    ],
  });

/** Begins an upload, which writes to the storage, and drops it. The password is in no argument. */
const UPLOAD = `login() { printf 'Authorization: Basic %s\\n' "$(printf %s "\${LOGIN-}" | base64 -w 0)"; }
ask() { login | curl -fsSk --max-time 10 -H @- "$@"; }
upload=$(ask -X POST -o /dev/null -w '%header{location}' "$REGISTRY/v2/provisioning-health/blobs/uploads/")
ask -X DELETE "$upload"
echo accepted`;

/** Only the registry reads it. */
const SECRET = { mode: '0640', owner: 'root:docker-registry' };

/** Keeps images of containers. */
export const ociRegistry = packageService({
  name: 'oci-registry',
  category: 'registries',
  holds: (config) => [storageOf(config)],
  description: 'Stores container images, which clients push and pull.',
  versions: debianVersions({ 12: '2.8', 13: '2.8' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, metricsPort, users }) => [
    { name: 'registry', port, local: users.length === 0 },
    { name: 'metrics', port: metricsPort, path: '/metrics', local: true },
  ],
  package: 'docker-registry',
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('oci-registry', 'registry', context) : 'loopback'),
  files: {
    conf: {
      path: PATHS.conf,
      content: (config, { listening, files }) => configYml(config, listening, storageOf(config, files.conf?.content)),
    },
    accounts: { path: PATHS.accounts, content: accounts, ...SECRET },
    script: { path: PATHS.script, content: ({ users }) => (users.length > 0 ? HTPASSWD_SCRIPT : undefined) },
    certificate: { path: PATHS.certificate, content: ({ tls }) => tls && [tls.certificate], ...SECRET },
    key: { path: PATHS.key, content: ({ tls }) => tls && [tls.key], ...SECRET },
    dropIn: {
      path: '/etc/systemd/system/docker-registry.service.d/provisioning.conf',
      content: (config, { files }) => dropIn(config, storageOf(config, files.conf?.content)),
    },
  },
  health: ({ port, tls, users: [first] }, { listening }) => [
    {
      title: 'oci-registry accepts an upload',
      command: `${sh`REGISTRY=${`${tls ? 'https' : 'http'}://${askAt(listening)}:${port}`}`}\n${UPLOAD}`,
      expect: 'accepted',
      env: first && { LOGIN: [`${first.name}:`, first.password] },
    },
  ],
});
