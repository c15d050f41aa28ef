import { MANAGED_FILE_HEADER } from '../../sdk/index.js';
export interface PodmanConfig {
  runtime: string;
  storageDriver?: string | undefined;
  storagePath?: string | undefined;
  logDriver: string;
  /** Bytes. */
  logMaxSize: number;
  searchRegistries: string[];
  insecureRegistries: string[];
  mirrors: { registry: string; mirror: string }[];
}

/** Lines of TOML; texts are written as JSON, which it reads as it is. */
const lines = (entries: Record<string, unknown>): string[] =>
  Object.entries(entries).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);

/** How containers run. */
export function containersConf({ runtime, logDriver, logMaxSize }: PodmanConfig): string {
  return [
    MANAGED_FILE_HEADER,
    '[containers]',
    ...lines({ log_driver: logDriver, log_size_max: logMaxSize }),
    '[network]',
    ...lines({ network_backend: 'netavark' }),
    '[engine]',
    ...lines({ runtime }),
    '',
  ].join('\n');
}

/**
 * Storage of images and containers, in the folder that the host already uses. In another folder they would seem lost.
 */
export function storageConf({ storageDriver, storagePath }: PodmanConfig, former = ''): string {
  const driver = storageDriver ?? /^ *driver *= *"([a-z0-9]{1,20})"/m.exec(former)?.[1] ?? 'overlay';
  const graphroot =
    storagePath ?? /^ *graphroot *= *"((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)"/m.exec(former)?.[1] ?? '/var/lib/containers/storage';
  return [MANAGED_FILE_HEADER, '[storage]', ...lines({ driver, graphroot, runroot: '/run/containers/storage' }), ''].join('\n');
}

/** Sources of images. */
export function registriesConf({ searchRegistries, insecureRegistries, mirrors }: PodmanConfig): string {
  const mirrored = new Map(mirrors.map(({ registry, mirror }) => [registry, mirror]));
  return [
    MANAGED_FILE_HEADER,
    ...lines({ 'unqualified-search-registries': searchRegistries }),
    ...[...new Set([...insecureRegistries, ...mirrored.keys()])].flatMap((registry) => {
      const mirror = mirrored.get(registry);
      return [
        '[[registry]]',
        ...lines({ location: registry, insecure: insecureRegistries.includes(registry) }),
        ...(mirror ? ['[[registry.mirror]]', ...lines({ location: mirror, insecure: insecureRegistries.includes(mirror) })] : []),
      ];
    }),
    '',
  ].join('\n');
}
