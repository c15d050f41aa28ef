import * as z from 'zod';
import { askAt, type ListenAddress } from '../../sdk/index.js';

export interface DockerConfig {
  dataRoot?: string | undefined;
  storageDriver?: string | undefined;
  logDriver: 'json-file' | 'local' | 'journald';
  /** Bytes. */
  logMaxSize: number;
  logMaxFiles: number;
  liveRestore: boolean;
  registryMirrors: string[];
  insecureRegistries: string[];
  addressPools: { base: string; size: number }[];
  runtimes: { name: string; path: string }[];
  defaultRuntime: string;
  metricsPort?: number | undefined;
}

const absolute = z.string().regex(/^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/);

/** Folder of the images, containers and volumes that the host already has. In another folder they would seem lost. */
export function resolveStorage(config: DockerConfig, former = ''): DockerConfig & { dataRoot: string } {
  const { 'data-root': dataRoot, 'storage-driver': storageDriver } = formerly(former);
  return {
    ...config,
    dataRoot: config.dataRoot ?? dataRoot ?? '/var/lib/docker',
    storageDriver: config.storageDriver ?? storageDriver,
  };
}

const stored = z.object({
  'data-root': absolute.optional().catch(undefined),
  'storage-driver': z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .optional()
    .catch(undefined),
});

function formerly(content: string): Partial<z.output<typeof stored>> {
  try {
    return stored.parse(JSON.parse(content));
  } catch {
    // The file is missing, or docker could not read it.
    return {};
  }
}

/** Content of daemon.json. Omitted settings keep docker's defaults. */
export function daemonJson(config: ReturnType<typeof resolveStorage>, listening: ListenAddress): string {
  const { storageDriver, logDriver, addressPools, runtimes, metricsPort } = config;
  const address = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const content = {
    'data-root': config.dataRoot,
    ...(storageDriver && { 'storage-driver': storageDriver }),
    'log-driver': logDriver,
    // The journal has limits of its own, and docker refuses these for it.
    ...(logDriver !== 'journald' && { 'log-opts': { 'max-size': `${config.logMaxSize}`, 'max-file': `${config.logMaxFiles}` } }),
    'live-restore': config.liveRestore,
    'registry-mirrors': config.registryMirrors,
    'insecure-registries': config.insecureRegistries,
    ...(addressPools.length > 0 && { 'default-address-pools': addressPools }),
    runtimes: Object.fromEntries(runtimes.map(({ name, path }) => [name, { path }])),
    'default-runtime': config.defaultRuntime,
    // Docker 20.10 takes the one only with the other.
    ...(metricsPort && { 'metrics-addr': `${address}:${metricsPort}`, experimental: true }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
