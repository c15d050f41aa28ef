import type { Home } from '../../../home/home.js';
import { makeFirstKey } from '../../../stores/files/sealing.js';

/**
 * Returns the team's store, if one is configured, after a check: it exists, with the tables of this version and the
 * own key.
 *
 * @throws inputError and unreachableError with codes that begin with `store-`
 */
export async function readSharedStore(home: Home, env: NodeJS.ProcessEnv): Promise<{ id: string; name: string } | undefined> {
  if (!env.PROVISIONING_STORE) return undefined;
  await makeFirstKey(home, env);
  const { openStores } = await import('../../../stores/open-stores.js');
  const { shared, close } = await openStores(home, env);
  await close();
  return shared && { id: shared.id.slice(0, 8), name: shared.name };
}
