import { type KeyFolder, keyFolder } from '../../authoring/secrets/key-folder.js';
import { jumpHostAt, jumpKeyName } from '../../core/definition/jump-host.js';
import { inputError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { findForbiddenKey } from '../../home/identities.js';
import { readSetting, resolveEnvironment } from '../../settings/settings.js';
import type { Session } from '../program/session.js';
import { refuseForeignHosts } from './own-hosts.js';

/**
 * The keys by which servers of an infra are reached, those of their jump hosts included: for servers that are the
 * infra's own, by keys that definitions may name. Who runs something on a server gets its keys here.
 *
 * @throws `host-managed-by-another`, the input error `ssh-key-not-allowed`
 */
export async function prepareKeys(session: Session, inventory: Inventory, servers: readonly InventoryServer[]): Promise<KeyFolder> {
  for (const server of servers) await refuseForbiddenKey(session, server);
  const keys = await keyFolder(session, inventory, [...new Set(servers.flatMap((server) => [server.name, ...jumpKeyOf(server)]))]);
  try {
    await refuseForeignHosts(inventory, servers, keys.folder);
    return keys;
  } catch (error) {
    await keys.remove();
    throw error;
  }
}

async function refuseForbiddenKey({ home, env }: Session, { name, connection }: InventoryServer): Promise<void> {
  if (connection.kind !== 'ssh' || connection.identity === undefined) return;
  const { identity } = connection;
  const forbidden = await findForbiddenKey(identity, readSetting(await resolveEnvironment(home, env), 'worker.identities'));
  if (forbidden === undefined) return;
  throw inputError({ code: 'ssh-key-not-allowed', what: 'read the SSH key', on: `${identity} for ${name}`, ...forbidden });
}

/** The name under which the key of the jump host before it is kept, if it has one. */
function jumpKeyOf({ connection }: InventoryServer): string[] {
  if (connection.kind !== 'ssh' || connection.jump === undefined) return [];
  const jump = jumpHostAt(connection.jump, connection.user);
  return jump ? [jumpKeyName(jump)] : [];
}
