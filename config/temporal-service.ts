import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from '@temporalio/client';
import type { Served } from '../core/engine.js';
import { inputError, messageOf } from '../core/errors.js';

/** A Temporal service that the user named: by `TEMPORAL_*` variables or a profile of Temporal's own configuration file. */
export interface ConfiguredService {
  address: string;
  namespace?: string;
  /** For the client as well as for the worker's native connection. */
  connection: ConnectionOptions & { apiKey?: string };
}

/**
 * The service that is configured, if any. Temporal's library is loaded only
 * where something is configured at all.
 *
 * @throws inputError for a configuration that cannot be read
 */
export async function configuredService(env: NodeJS.ProcessEnv): Promise<ConfiguredService | undefined> {
  if (!mentions(env)) return undefined;
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    const given = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: given });
    const { address } = connectionOptions;
    return address ? { address, namespace, connection: connectionOptions as ConfiguredService['connection'] } : undefined;
  } catch (error) {
    const hint = 'look at TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the file that it names';
    throw inputError(
      { code: 'temporal-config', what: 'read the configuration of Temporal', why: messageOf(error), hint },
      { cause: error },
    );
  }
}

/**
 * The service that a home has recorded: undefined for its own engine, which needs no credentials.
 *
 * @throws inputError as `configuredService`
 */
export async function recordedService(
  { kind, profile }: Pick<Served, 'kind' | 'profile'>,
  env: NodeJS.ProcessEnv,
): Promise<ConfiguredService | undefined> {
  return kind === 'configured' ? configuredService({ TEMPORAL_PROFILE: profile, ...env }) : undefined;
}

/** Whether there is anything for the library to read. */
function mentions(env: NodeJS.ProcessEnv): boolean {
  if (env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE || env.TEMPORAL_CONFIG_FILE) return true;
  const home = env.HOME ?? homedir();
  const folders = [env.XDG_CONFIG_HOME ?? join(home, '.config'), join(home, 'Library/Application Support'), env.APPDATA ?? ''];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, 'temporalio/temporal.toml')));
}

/** Whether an address is this machine at this port: our own server, named by the user for another tool. */
export function isLocal(address: string, port: number): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].some((host) => address === `${host}:${port}`);
}
