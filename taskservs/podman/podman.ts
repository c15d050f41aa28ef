import * as z from 'zod';
import { absolutePath, debianVersions, packageService, size } from '../../sdk/index.js';
import { containersConf, registriesConf, storageConf } from './podman-files.js';

const registry = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:[0-9]{1,5})?$/, { error: 'write a registry as "docker.io" or "host:port"' });

const config = z
  .strictObject({
    runtime: z.enum(['crun', 'runc']).default('crun').describe('OCI runtime that starts containers'),
    storageDriver: z
      .enum(['overlay', 'btrfs', 'zfs', 'vfs'])
      .optional()
      .describe('Storage driver; default: the driver in use, otherwise overlay'),
    storagePath: absolutePath()
      .optional()
      .describe(
        "Folder of root's images and containers; default: the folder in use, otherwise /var/lib/containers/storage. Other users have their own in their home directories",
      ),
    logDriver: z
      .enum(['journald', 'k8s-file'])
      .default('journald')
      .describe('Log driver of containers: the journal, or a file each'),
    logMaxSize: size('10 MiB').describe('Size at which a log file of a container is cut'),
    searchRegistries: z
      .array(registry)
      .default([])
      .describe('Registries for images without a registry; without them such names are rejected'),
    insecureRegistries: z.array(registry).default([]).describe('Registries that use HTTP or whose certificates are not checked'),
    mirrors: z
      .array(
        z.strictObject({
          registry: registry.describe('Registry name in images: `docker.io`'),
          mirror: registry.describe('Registry to query first'),
        }),
      )
      .refine((mirrors) => new Set(mirrors.map(({ registry }) => registry)).size === mirrors.length, {
        error: 'each registry may be listed only once',
      })
      .default([])
      .describe('Mirrors of registries'),
  })
  .meta({ examples: [{ searchRegistries: ['docker.io'], mirrors: [{ registry: 'docker.io', mirror: 'mirror.example.org' }] }] });

/** Makes an image of nothing, reads it, and deletes it. */
const IMPORT = `image=localhost/provisioning-health:$$
tar -c -T /dev/null | podman import -q - "$image" >/dev/null
podman image inspect -f 'kept as {{index .RepoTags 0}}' "$image"
podman rmi "$image" >/dev/null`;

/** Runs containers without a daemon. */
export const podman = packageService({
  name: 'podman',
  category: 'runtimes',
  holds: ({ storagePath = '/var/lib/containers/storage' }) => [storagePath],
  description: 'Runs containers and pods of root and other users, without a daemon.',
  versions: debianVersions({ 12: '4.3', 13: '5.4' }),
  supports: { os: ['debian'] },
  config,
  unit: false,
  // Both runtimes, networks with names, what containers of users take, and certificates for registries.
  furtherPackages: ['crun', 'runc', 'netavark', 'aardvark-dns', 'uidmap', 'slirp4netns', 'ca-certificates'],
  files: {
    containers: { path: '/etc/containers/containers.conf.d/50-provisioning.conf', content: containersConf },
    storage: { path: '/etc/containers/storage.conf', content: (config, { files }) => storageConf(config, files.storage?.content) },
    registries: { path: '/etc/containers/registries.conf.d/50-provisioning.conf', content: registriesConf },
  },
  check: 'podman info >/dev/null',
  health: () => [{ title: 'podman keeps an image', command: IMPORT, expect: 'kept as localhost/provisioning-health' }],
});
