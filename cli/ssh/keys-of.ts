import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import type { Session } from '../program/session.js';
import { createConnector } from './connector.js';
import { createLoginFolder, type LoginFolder } from './login-folder.js';
import { refuseForeignHosts } from './own-hosts.js';

/**
 * Prepares logins to servers of an infra, for servers that the infra owns. The platform keeps the private keys: it
 * describes each login and signs it. Callers that run something on a server get its keys here. They must not close the
 * session before removing the keys.
 *
 * @throws `host-managed-by-another`, and as the method `servers.login`
 */
export async function prepareKeys(
  session: Session,
  inventory: Inventory,
  servers: readonly InventoryServer[],
): Promise<LoginFolder> {
  const { workspace, infra } = inventory;
  const identities = new Map(
    servers.flatMap(({ name, connection }) => (connection.kind === 'ssh' ? [[name, connection.identity] as const] : [])),
  );
  const client = await session.client();
  const names = [...identities.keys()];
  const logins = names.length === 0 ? [] : await client.servers.login({ workspace, infra, servers: names });
  const keys = await createLoginFolder(
    session.env,
    logins.map((login) => {
      const identity = identities.get(login.server);
      return { ...login, ...(identity !== undefined && { identity }) };
    }),
    async (server, jump, data) => {
      const asked = { workspace, infra, server, ...(jump && { jump: true as const }), data: data.toString('base64') };
      return Buffer.from((await client.servers.signLogin(asked)).signature, 'base64');
    },
    { connector: createConnector(session, inventory) },
  );
  try {
    await refuseForeignHosts(inventory, servers, keys.folder);
    return keys;
  } catch (error) {
    await keys.remove();
    throw error;
  }
}
