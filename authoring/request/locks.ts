import type { Inventory } from '../../core/infra/inventory.js';
import type { Holder, Waiter } from '../../core/operation/operation.js';
import type { Context } from '../context.js';

/** Lists the holders of and the waiters for resources of these infras. */
export async function listLocks(
  context: Context,
  inventories: readonly Inventory[],
  isMeant: (resource: string) => boolean = () => true,
): Promise<{ holders: Holder[]; waiters: Waiter[] }> {
  const client = await context.client();
  const all = await Promise.all(inventories.map(({ infra }) => client.infras.locks({ workspace: context.workspace, infra })));
  return {
    holders: all.flatMap(({ holders }) => holders).filter(({ resources }) => resources.some(isMeant)),
    waiters: all.flatMap(({ waiters }) => waiters).filter(({ resources }) => resources.some(isMeant)),
  };
}
