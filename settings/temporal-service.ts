import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from '@temporalio/client';
import type { ServedEngine } from '../core/engine/engine.js';
import { inputError, messageOf } from '../core/errors.js';
import { readCertificates } from '../home/home-certificates.js';

/**
 * Temporal service that the user configured: with `TEMPORAL_*` variables, or a profile of Temporal's configuration
 * file.
 */
export interface ConfiguredService {
  address: string;
  namespace?: string;
  /** For the client and for the worker's native connection. */
  connection: ConnectionOptions & { apiKey?: string };
}

/**
 * Returns the configured service, if any. Temporal's library is loaded only if something is configured.
 *
 * @throws inputError for an unreadable configuration
 */
export async function readConfiguredService(env: NodeJS.ProcessEnv): Promise<ConfiguredService | undefined> {
  if (!mentions(env)) return undefined;
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    const given = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: given });
    const { address } = connectionOptions;
    return address ? { address, namespace, connection: connectionOptions as ConfiguredService['connection'] } : undefined;
  } catch (error) {
    const hint = 'check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the file at its path';
    throw inputError(
      { code: 'temporal-config', what: 'read the configuration of Temporal', why: messageOf(error), hint },
      { cause: error },
    );
  }
}

/**
 * Returns the connection to the service in a home's record: the configured service, or the home's own engine with its
 * certificates. Undefined for an own engine without TLS.
 *
 * @throws inputError as `configuredService`; `engine-certificates`
 */
export async function describeRecordedService(
  { kind, address, profile, certificates }: Pick<ServedEngine, 'kind' | 'address' | 'profile' | 'certificates'>,
  env: NodeJS.ProcessEnv,
): Promise<ConfiguredService | undefined> {
  if (kind === 'configured') return readConfiguredService({ TEMPORAL_PROFILE: profile, ...env });
  return certificates ? { address, connection: homeConnection(address, certificates) } : undefined;
}

/** Returns a connection to a home's own engine, with mutual TLS. */
export function homeConnection(address: string, certificates: string): ConfiguredService['connection'] {
  const { authority, certificate, key } = readCertificates(certificates);
  // The certificate's DNS name: TLS cannot request a certificate by IP address.
  const serverNameOverride = 'localhost';
  return { address, tls: { serverNameOverride, serverRootCACertificate: authority, clientCertPair: { crt: certificate, key } } };
}

/** Reports whether there is any configuration for the library to read. */
function mentions(env: NodeJS.ProcessEnv): boolean {
  if (env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE || env.TEMPORAL_CONFIG_FILE) return true;
  const home = env.HOME ?? homedir();
  const folders = [env.XDG_CONFIG_HOME ?? join(home, '.config'), join(home, 'Library/Application Support'), env.APPDATA ?? ''];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, 'temporalio/temporal.toml')));
}

/**
 * Reports whether an address is this machine at this port: our own server, which the user configured for another tool.
 */
export function isLocal(address: string, port: number): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].some((host) => address === `${host}:${port}`);
}
