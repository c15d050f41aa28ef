import { inventories } from '../../authoring/request/which-infra.js';
import { inputError, type ProvisioningError, unreachableError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import type { Session } from '../program/session.js';

/** Exit code of ssh without a connection. A command may end with it too. */
export const SSH_EXIT = 255;

/**
 * Returns the only server with a name, and its infra.
 *
 * @param what the attempted action, for errors
 * @throws an input error `unknown-server` if no infra or several infras have such a server
 */
export async function findReachedServer(
  session: Session,
  { name, infra }: { name: string; infra?: string },
  what: string,
): Promise<{ inventory: Inventory; server: InventoryServer }> {
  const found = (await inventories(session, infra)).filter(({ servers }) => servers[name]);
  const [inventory] = found;
  const server = inventory?.servers[name];
  if (inventory && server && found.length === 1) return { inventory, server };
  const why = server
    ? `the infras ${found.map(({ infra }) => `"${infra}"`).join(' and ')} have a server with this name`
    : 'no infra has a server with this name';
  const hint = server ? 'choose an infra with --infra NAME' : 'provisioning server list';
  throw inputError({ code: 'unknown-server', what, on: name, why, hint });
}

/** Returns the error of a failed connection. The message of ssh itself often lacks the address. */
export function sshFailed({ name, connection }: InventoryServer, what: string, why: string): ProvisioningError {
  const place = connection.kind === 'ssh' ? ` (${connection.user}@${connection.address}:${connection.port})` : '';
  const through = connection.kind === 'ssh' && connection.jump ? ` through ${connection.jump}` : '';
  return unreachableError({ code: 'host-unreachable', what, on: `${name}${place}${through}`, why });
}

/** Returns the error of a local program that could not be started. */
export function explainNotStarted(error: NodeJS.ErrnoException, program: string, what: string, on: string): ProvisioningError {
  const why = error.code === 'ENOENT' ? `this machine has no "${program}"` : error.message;
  return unreachableError({ code: 'no-ssh', what, on, why, hint: 'install an OpenSSH client' });
}
