import * as z from 'zod';
import { absolutePath, anyPort, askAt, debianVersions, listeningOn, packageService } from '../../sdk/index.js';
import { configToml, rootOf } from './config-toml.js';

const mirror = z.strictObject({
  registry: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:[0-9]{1,5})?$/, { error: 'write a registry as "docker.io" or "host:port"' })
    .describe('Registry name in images: `docker.io`'),
  endpoints: z
    .array(
      z.string().regex(/^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[A-Za-z0-9._/-]*)?$/, {
        error: 'write a mirror as "https://host:port"',
      }),
    )
    .min(1)
    .describe('Mirrors to query, in order'),
});

const config = z
  .strictObject({
    root: absolutePath()
      .optional()
      .describe('Folder of images and snapshots; default: the folder in use, otherwise /var/lib/containerd'),
    snapshotter: z
      .enum(['overlayfs', 'native', 'btrfs', 'zfs'])
      .default('overlayfs')
      .describe('Snapshotter for Kubernetes containers'),
    systemdCgroup: z
      .boolean()
      .default(true)
      .describe('Whether systemd manages the cgroups of Kubernetes containers, like the default of the kubelet'),
    sandboxImage: z
      .string()
      .regex(/^[a-z0-9][A-Za-z0-9._:@/-]{0,254}$/, { error: 'write an image as "registry.example.org/pause:3.6"' })
      .default('registry.k8s.io/pause:3.6')
      .describe('Image of the pause container in each pod'),
    cniBinaries: absolutePath().default('/usr/lib/cni').describe('Folder of the CNI plugins'),
    mirrors: z
      .array(mirror)
      .refine((mirrors) => new Set(mirrors.map(({ registry }) => registry)).size === mirrors.length, {
        error: 'each registry may be listed only once',
      })
      .default([])
      .describe('Mirrors of registries, for Kubernetes'),
    metricsPort: anyPort().optional().describe('TCP port of /v1/metrics; default: no metrics'),
  })
  .meta({ examples: [{ mirrors: [{ registry: 'docker.io', endpoints: ['https://mirror.example.org'] }] }] });

/** Writes content into the store, reads it and deletes it. Only this check uses the namespace. */
const STORE = `export CONTAINERD_NAMESPACE=provisioning-health
digest=sha256:$(printf stored | sha256sum | cut -d ' ' -f 1)
printf stored | ctr content ingest health
ctr content get "$digest"
ctr content rm "$digest" >/dev/null
ctr namespaces rm "$CONTAINERD_NAMESPACE" >/dev/null`;

/** Runs containers, for Kubernetes and others. */
export const containerd = packageService({
  name: 'containerd',
  category: 'runtimes',
  holds: (config) => [rootOf(config)],
  description: 'Runs containers for Kubernetes and other clients of its socket.',
  versions: debianVersions({ 12: '1.6', 13: '1.7' }),
  supports: { os: ['debian'] },
  // Docker brings containerd, and would be removed with it.
  conflicts: ['docker'],
  config,
  endpoints: ({ metricsPort }) => (metricsPort ? [{ name: 'metrics', port: metricsPort, path: '/v1/metrics' }] : []),
  // Registries have certificates.
  furtherPackages: ['ca-certificates'],
  listens: ({ metricsPort }, context) => (metricsPort ? listeningOn('containerd', 'metrics', context) : 'loopback'),
  files: {
    conf: {
      path: '/etc/containerd/config.toml',
      content: (config, { listening, files }) => configToml({ ...config, root: rootOf(config, files.conf?.content) }, listening),
    },
  },
  check: 'containerd config dump >/dev/null',
  health: ({ metricsPort }, { listening }) => [
    { title: 'containerd stores a content', command: STORE, expect: 'stored' },
    {
      title: 'containerd answers Kubernetes',
      command: 'ctr plugins ls | awk \'$2 == "cri" { print "cri is", $4 }\'',
      expect: 'cri is ok',
    },
    ...(metricsPort
      ? [
          {
            title: 'containerd serves metrics',
            http: `http://${askAt(listening)}:${metricsPort}/v1/metrics`,
            expect: 'process_start_time_seconds',
          },
        ]
      : []),
  ],
});
