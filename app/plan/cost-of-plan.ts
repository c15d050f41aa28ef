import { messageOf, ProvisioningError } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import { computeCost, type PriceList } from '../../core/machine/cost.js';
import { type CostPreview, changesPaid, costPreviewOf, paidChanges, pricedIn } from '../../core/machine/cost-preview.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { registries } from '../../definition/registries/registries.js';
import { queryInventory } from '../infra/entity.js';
import { locate } from '../locate.js';
import type { Call } from '../method.js';
import { askProvider } from '../providers/ask.js';
import { faultOf } from '../temporal/fault.js';

type Caller = Pick<Call, 'engine' | 'principal'>;

/** What the plan of a preview changes in what is paid; undefined if nothing that is paid for changes. */
export async function costOfPlan(
  caller: Caller,
  { operation, workspace, infra, plan }: Pick<OperationResult, 'operation' | 'workspace' | 'infra' | 'plan'>,
): Promise<CostPreview | undefined> {
  if (!changesPaid(plan)) return undefined;
  const { engine } = caller;
  const [inventory, request] = await Promise.all([
    queryInventory(engine, { workspace, infra }),
    engine.temporal.workflow
      .getHandle(operation)
      .query<OperationRequest>('request')
      .catch((error: unknown) => Promise.reject(faultOf(error, operation))),
  ]);
  const touched = paidChanges(plan, inventory, request.definition);
  const accounts = new Set(pricedIn(touched).flatMap(({ host, provider }) => (host ? [] : [provider])));
  const lists = new Map(await Promise.all([...accounts].map(async (name) => [name, await pricesOf(caller, name)] as const)));
  return costPreviewOf(touched, (server) =>
    computeCost(server, lists.get(server.provider) ?? { unknown: 'the provider was not asked' }),
  );
}

/** What cannot be learned is unknown, with the reason: a plan is shown without its prices as well. */
async function pricesOf({ engine, principal }: Caller, account: string): Promise<PriceList> {
  const { providers } = await registries();
  if (providers[accountIn(account).provider]?.free) return { free: true };
  if (!(await principal.may('provider:read', await locate(engine, { type: 'Provider', id: account }))))
    return { unknown: `${principal.actor} may not ask ${account} for prices` };
  try {
    return { sold: await askProvider(engine, account, 'plans') };
  } catch (error) {
    return { unknown: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
  }
}
