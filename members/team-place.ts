import { join } from 'node:path';
import type { EngineRecord } from '../core/engine/engine.js';
import { inputError } from '../core/errors.js';
import { LIMITS } from '../core/limits.js';
import { DEFAULT_NAMESPACE } from '../core/names.js';
import { readText } from '../definition/source/read-text.js';
import type { Home } from '../home/home.js';
import { readConfiguredService } from '../settings/temporal-service.js';
import type { Invitation } from './invitation.js';
import { textOfCa } from './team-keys.js';
import type { TeamStore } from './team-store.js';

/** Addresses at which the new member reaches the services, if they differ from the operator's. */
export interface ServiceAddresses {
  /** Address of Temporal, HOST:PORT. */
  address?: string | undefined;
  /** Name in Temporal's certificate. */
  serverName?: string | undefined;
  /** Address of the store, HOST or HOST:PORT. */
  store?: string | undefined;
}

/**
 * Returns the address of Temporal for a member.
 *
 * @param env a settled environment
 * @throws inputError `member-temporal` if no service is configured; as `configuredService`
 */
export async function temporalFor(
  home: Home,
  env: NodeJS.ProcessEnv,
  reached: ServiceAddresses,
): Promise<Omit<Invitation['temporal'], 'tls'>> {
  // `up --profile NAME` is stored in the record of the engine.
  const { profile } = (await readRecordedEngine(home)) ?? {};
  const service = await readConfiguredService(profile ? { TEMPORAL_PROFILE: profile, ...env } : env);
  if (!service) {
    const hint = 'set TEMPORAL_ADDRESS, or engine.profile; docs/operate/team.md';
    throw inputError({
      code: 'member-temporal',
      what: 'find the Temporal service of the team',
      why: 'no Temporal service is configured here',
      hint,
    });
  }
  const { tls } = service.connection;
  const serverName = reached.serverName ?? (typeof tls === 'object' && tls ? tls.serverNameOverride : undefined);
  return {
    address: reached.address ?? service.address,
    namespace: env.PROVISIONING_NAMESPACE || service.namespace || DEFAULT_NAMESPACE,
    ...(serverName && { serverName }),
  };
}

/** Returns the record of the engine that `up` found or started; undefined without a record. */
export async function readRecordedEngine({
  engine,
}: Pick<Home, 'engine'>): Promise<Pick<EngineRecord, 'kind' | 'profile'> | undefined> {
  try {
    return JSON.parse(String(await readText(join(engine, 'engine.json'), LIMITS.settings))) as EngineRecord;
  } catch {
    return undefined;
  }
}

/**
 * Returns the address of the store for a member, without a password.
 *
 * @throws inputError `bad-arguments`, `member-certificates`
 */
export async function storeFor(
  store: TeamStore,
  { store: other }: ServiceAddresses,
): Promise<Omit<Invitation['store'], 'password'>> {
  const { host, port } = other === undefined ? store : placeIn(other, store.port);
  const { sslmode, sslrootcert } = store;
  return {
    host,
    port,
    ...(sslmode && { sslmode: sslmode as NonNullable<Invitation['store']['sslmode']> }),
    ...(sslrootcert && { ca: await textOfCa(sslrootcert) }),
  };
}

function placeIn(text: string, otherwise: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined) return { host, port: port ? Number(port) : otherwise };
  throw inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: '--store',
    why: `"${text}" is not HOST or HOST:PORT`,
  });
}

const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1|\[::1\])$/;

/** Returns the addresses that only this machine can reach. */
export function loopbackOf({ address }: { address: string }, { host, port }: { host: string; port: number }): string[] {
  const temporal = address.replace(/:\d+$/, '');
  return [
    ...(LOOPBACK.test(temporal) ? [`Temporal ${address}: --address HOST:PORT`] : []),
    ...(LOOPBACK.test(host) ? [`the store ${host}:${port}: --store HOST:PORT`] : []),
  ];
}
