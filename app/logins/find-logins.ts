import { type JumpHost, jumpHostAt, jumpKeyName } from '../../core/definition/jump-host.js';
import { inputError } from '../../core/errors.js';
import type { Connection } from '../../core/machine/provider.js';
import { clipText } from '../../core/text.js';
import type { KeyOwner } from '../../stores/keys.js';
import type { Engine } from '../engine.js';
import { queryInventory } from '../infra/entity.js';
import { readLoginKey, type SshConnection } from './login-key.js';
import { rememberBriefly } from './remember.js';

/** Address of a login, and the host key that it must present. */
export interface Door {
  address: string;
  port: number;
  user: string;
  /** `ssh-ed25519 AAAA…`; absent if unknown. */
  hostKey?: string;
}

/** Data of a login to a server. */
export interface ServerLogin extends Door {
  server: string;
  /** The login key, as a line of `authorized_keys`; absent if the infra has no key. */
  publicKey?: string;
  /** The host to go through. */
  jump?: Door;
}

const WHAT = 'log in to the server';

/** @throws inputError `unknown-infra`, `unknown-server`, `no-machine` */
export async function findSshConnection(engine: Engine, owner: KeyOwner, server: string): Promise<SshConnection> {
  const connections = await readConnections(engine, owner);
  if (!connections) {
    const why = `the workspace "${clipText(owner.workspace)}" has no such infra`;
    throw inputError({ code: 'unknown-infra', what: WHAT, on: clipText(owner.infra), why });
  }
  const connection = connections.get(server);
  if (!connection) {
    const why = 'the infra has no server with this name';
    throw inputError({ code: 'unknown-server', what: WHAT, on: clipText(server), why, hint: 'provisioning server list' });
  }
  if (connection.kind === 'ssh') return connection;
  throw inputError({ code: 'no-machine', what: WHAT, on: server, why: 'the server is not reached by SSH' });
}

const readConnections = (engine: Engine, { workspace, infra }: KeyOwner): Promise<ReadonlyMap<string, Connection> | undefined> =>
  rememberBriefly(engine, ['connections', workspace, infra], async () => {
    const inventory = await queryInventory(engine, { workspace, infra });
    return inventory && new Map(Object.values(inventory.servers).map(({ name, connection }) => [name, connection] as const));
  });

/** The jump host before a server. @throws inputError `jump-host-form` */
export function findJumpHost({ jump, user }: SshConnection, server: string): JumpHost | undefined {
  if (jump === undefined) return undefined;
  const at = jumpHostAt(jump, user);
  if (at) return at;
  throw inputError({
    code: 'jump-host-form',
    what: WHAT,
    on: `${clipText(jump)} of ${server}`,
    why: 'it is not user@address:port',
  });
}

/** The key that a server, or the jump host before it, must show. */
export async function readHostKey(engine: Engine, owner: KeyOwner, name: string): Promise<string | undefined> {
  const [type, value] = (await engine.stores.keys.pinned(owner, name))?.trim().split(' ') ?? [];
  return type && value ? `${type} ${value}` : undefined;
}

/**
 * Returns the data of logins to an infra's servers.
 *
 * @throws as `findSshConnection`, `readLoginKey` and `findJumpHost`
 */
export async function findLogins(engine: Engine, owner: KeyOwner, servers: readonly string[]): Promise<ServerLogin[]> {
  const logins: ServerLogin[] = [];
  const lines = new Map<string | undefined, string | undefined>();
  for (const server of servers) {
    const connection = await findSshConnection(engine, owner, server);
    const { address, port, user } = connection;
    const jump = findJumpHost(connection, server);
    const { identity } = connection;
    if (!lines.has(identity)) lines.set(identity, (await readLoginKey(engine, owner, server, connection))?.line);
    const publicKey = lines.get(identity);
    const [hostKey, jumpKey] = await Promise.all([
      readHostKey(engine, owner, server),
      jump && readHostKey(engine, owner, jumpKeyName(jump)),
    ]);
    logins.push({
      ...{ server, address, port, user },
      ...(hostKey !== undefined && { hostKey }),
      ...(publicKey !== undefined && { publicKey }),
      ...(jump && { jump: { ...jump, ...(jumpKey !== undefined && { hostKey: jumpKey }) } }),
    });
  }
  return logins;
}
