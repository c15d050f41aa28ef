import { splitList } from '../../authoring/request/named.js';
import { inventories } from '../../authoring/request/which-infra.js';
import { inputError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { clipText } from '../../core/text.js';
import type { Session } from '../program/session.js';

/** Selection of servers. Each field narrows it. */
export interface Selection {
  /** Names, `role=ROLE`, or `all`; comma-separated. */
  selector?: string;
  infra?: string;
  role?: string;
  /** Comma-separated. */
  taskserv?: string;
}

/**
 * Returns the selected servers of one infra, by name.
 *
 * @param what the attempted action, for errors.
 * @throws an input error if a name matches nothing, no server is left, or several infras have such servers
 */
export async function selectServers(
  session: Session,
  selection: Selection,
  what: string,
): Promise<{ inventory: Inventory; servers: InventoryServer[] }> {
  const { selector, role, taskserv, infra } = selection;
  const hint = 'choose servers, role=ROLE or all: provisioning help exec';
  if (selector === undefined && role === undefined && taskserv === undefined)
    throw inputError({ code: 'which-servers', what, why: 'no server was named', hint });
  const parts = splitList(selector === undefined ? [] : [selector]);
  const fits = (server: InventoryServer): boolean =>
    (selector === undefined || parts?.some((part) => isMeant(server, part)) === true) &&
    (role === undefined || server.spec.role === role) &&
    (taskserv === undefined || splitList([taskserv])?.some((name) => server.services[name]) === true);
  const all = await inventories(session, infra);
  const found = all
    .map((inventory) => ({ inventory, servers: Object.values(inventory.servers).filter(fits) }))
    .filter(({ servers }) => servers.length > 0);
  for (const part of parts ?? []) {
    if (all.some(({ servers }) => Object.values(servers).some((server) => isMeant(server, part)))) continue;
    const why = 'no server, server group or role has this name';
    throw inputError({ code: 'unknown-server', what, on: clipText(part), why, hint: 'provisioning server list' });
  }
  const [only] = found;
  if (only && found.length === 1)
    return { ...only, servers: only.servers.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })) };
  const why = only
    ? `the infras ${found.map(({ inventory }) => `"${inventory.infra}"`).join(' and ')} have such servers`
    : 'no server matches all criteria';
  throw inputError({
    code: 'which-servers',
    what,
    why,
    hint: only ? 'choose an infra with --infra NAME' : 'provisioning server list',
  });
}

/** Matches by server name, by group (`web` of `web-1`), or by role. */
function isMeant({ name, spec }: InventoryServer, part: string): boolean {
  if (part.startsWith('role=')) return spec.role === part.slice('role='.length);
  return part === 'all' || part === name || part === spec.group || part === spec.role;
}
