import * as z from 'zod';
import { absolutePath, anyPort, askAt, debianVersions, hostPort, listeningOn, packageService, size } from '../../sdk/index.js';
import { daemonJson, resolveStorage } from './daemon-json.js';

const runtimeName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, { error: 'the name of a runtime has up to 63 lower-case letters, digits, _ and -' });

const addressPool = z
  .strictObject({
    base: z.cidrv4({ error: 'write a pool as "10.10.0.0/16"' }).describe('Address range of the networks'),
    size: z.int().min(8).max(30).describe('Prefix length of each network'),
  })
  .refine(({ base, size }) => Number(base.split('/')[1]) <= size, { error: 'a network does not fit into its pool' });

const config = z
  .strictObject({
    dataRoot: absolutePath()
      .optional()
      .describe('Folder of images, containers and volumes; default: the folder in use, otherwise /var/lib/docker'),
    storageDriver: z
      .enum(['overlay2', 'btrfs', 'zfs', 'vfs'])
      .optional()
      .describe('Storage driver; default: the driver in use, otherwise the choice of docker, mostly overlay2'),
    logDriver: z.enum(['json-file', 'local', 'journald']).default('json-file').describe('Log driver of containers'),
    logMaxSize: size('10 MiB').describe('Size at which a log file of a container is rotated'),
    logMaxFiles: z.int().min(1).max(100).default(3).describe('Number of log files per container'),
    liveRestore: z
      .boolean()
      .default(false)
      .describe('Whether containers keep running while docker is restarted or stopped; not with swarm'),
    registryMirrors: z
      .array(z.string().regex(/^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?$/, { error: 'write a mirror as "https://host:port"' }))
      .default([])
      .describe('Mirrors of Docker Hub to query first'),
    insecureRegistries: z
      .array(hostPort('write a registry as "host:port"'))
      .default([])
      .describe('Registries that use HTTP or whose certificates are not checked'),
    addressPools: z
      .array(addressPool)
      .default([])
      .describe('Address ranges of container networks; default: the ranges of docker, 172.17.0.0/16 first'),
    runtimes: z
      .array(
        z.strictObject({
          name: runtimeName
            .refine((name) => name !== 'runc', { error: 'runc is already built in' })
            .describe('Name of the runtime'),
          path: absolutePath().describe('Its program on the host'),
        }),
      )
      .refine((runtimes) => new Set(runtimes.map(({ name }) => name)).size === runtimes.length, {
        error: 'each runtime may be listed only once',
      })
      .default([])
      .describe('OCI runtimes in addition to runc'),
    defaultRuntime: runtimeName.default('runc').describe('Default runtime of containers'),
    metricsPort: anyPort().optional().describe('TCP port of /metrics; default: no metrics'),
  })
  .refine(({ runtimes, defaultRuntime }) => ['runc', ...runtimes.map(({ name }) => name)].includes(defaultRuntime), {
    path: ['defaultRuntime'],
    error: 'the default runtime is runc or one of runtimes',
  })
  .meta({ examples: [{ logMaxSize: '50 MiB', liveRestore: true, addressPools: [{ base: '10.10.0.0/16', size: 24 }] }] });

/** Runs containers. */
export const docker = packageService({
  name: 'docker',
  category: 'runtimes',
  holds: ({ dataRoot = '/var/lib/docker' }) => [dataRoot],
  description: 'Runs containers, by Docker Engine.',
  versions: debianVersions({ 12: '20.10', 13: '26.1' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ metricsPort }) => (metricsPort ? [{ name: 'metrics', port: metricsPort, path: '/metrics' }] : []),
  package: 'docker.io',
  // If the kernel has AppArmor, containers do not start without its tools. Registries need certificates. From Debian
  // 13 on, the client, which the checks use, is a separate package.
  furtherPackages: (version) => ['apparmor', 'ca-certificates', ...(version === '20.10' ? [] : ['docker-cli'])],
  unit: 'docker',
  listens: ({ metricsPort }, context) => (metricsPort ? listeningOn('docker', 'metrics', context) : 'loopback'),
  files: {
    conf: {
      path: '/etc/docker/daemon.json',
      content: (config, { listening, files }) => daemonJson(resolveStorage(config, files.conf?.content), listening),
    },
  },
  health: ({ metricsPort }, { listening }) => [
    {
      title: 'docker answers, and reaches containerd',
      // The socket would start docker where it is stopped.
      command: "systemctl is-active docker && docker info --format 'containerd {{.ContainerdCommit.ID}}.'",
      expect: 'containerd ',
    },
    ...(metricsPort
      ? [{ title: 'docker serves metrics', http: `http://${askAt(listening)}:${metricsPort}/metrics`, expect: 'engine_daemon_' }]
      : []),
  ],
});
