import {
  type CostPreview,
  changesPaid,
  listPaidChanges,
  listPricedServers,
  previewCosts,
} from '../../core/machine/cost-preview.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { queryInventory } from '../infra/entity.js';
import type { Call } from '../method.js';
import { translateFault } from '../temporal/fault.js';
import { readPrices } from './read-prices.js';

/** Returns how the plan of a preview changes the cost; undefined if nothing with a price changes. */
export async function costOfPlan(
  caller: Pick<Call, 'engine' | 'principal'>,
  { operation, workspace, infra, plan }: Pick<OperationResult, 'operation' | 'workspace' | 'infra' | 'plan'>,
): Promise<CostPreview | undefined> {
  if (!changesPaid(plan)) return undefined;
  const { engine } = caller;
  const [inventory, request] = await Promise.all([
    queryInventory(engine, { workspace, infra }),
    engine.temporal.workflow
      .getHandle(operation)
      .query<OperationRequest>('request')
      .catch((error: unknown) => Promise.reject(translateFault(error, operation))),
  ]);
  const touched = listPaidChanges(plan, inventory, request.definition);
  return previewCosts(touched, await readPrices(caller, listPricedServers(touched)));
}
