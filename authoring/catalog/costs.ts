import type { Definition } from '../../core/definition/definition.js';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import { computeCost, type PriceList, sumCosts } from '../../core/machine/cost.js';
import {
  type CostPreview,
  changesPaid,
  listPaidChanges,
  listPricedServers,
  type PricedServer,
  type PriceOf,
  previewCosts,
} from '../../core/machine/cost-preview.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { registries } from '../../definition/registries/registries.js';
import type { MonthlyCost } from '../../definition/rules/judge.js';
import type { Context } from '../context.js';
import { askPlans } from './answers.js';

/** Returns the prices of servers. Prices that cannot be determined are unknown, with the reason. */
export async function pricesFor(
  context: Context,
  specs: readonly PricedServer[],
  options: { fresh?: boolean } = {},
): Promise<PriceOf> {
  const { providers } = await registries();
  const lists = new Map<string, PriceList>();
  for (const name of new Set(specs.filter(({ host }) => !host).map(({ provider }) => provider))) {
    if (providers[accountIn(name).provider]?.free) lists.set(name, { free: true });
    else lists.set(name, await listOf(context, name, options));
  }
  return (spec) => computeCost(spec, lists.get(spec.provider) ?? { unknown: 'the provider was not asked' });
}

async function listOf(context: Context, provider: string, options: { fresh?: boolean }): Promise<PriceList> {
  try {
    return { sold: (await askPlans(context, provider, options)).answer };
  } catch (error) {
    return { unknown: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
  }
}

/** Computes the costs of a definition. */
export async function computeCosts(context: Context, { servers }: Definition, options: { fresh?: boolean } = {}) {
  const priceOf = await pricesFor(context, servers, options);
  const rows = servers.map(priceOf);
  return { servers: rows, ...sumCosts(rows) };
}

/** Computes the monthly cost of a definition for rules. The result says if a price is unknown or currencies differ. */
export async function computeMonthlyCost(context: Context, definition: Definition): Promise<MonthlyCost> {
  const { sums, unknown } = await computeCosts(context, definition);
  const [only] = sums;
  if (unknown > 0) return { unknown: `of ${unknown === 1 ? '1 server' : `${unknown} servers`} no price is known` };
  if (sums.length > 1) return { unknown: `it is paid in ${sums.map(({ currency }) => currency).join(' and ')}` };
  return only ? { monthly: only.monthly, currency: only.currency } : { monthly: 0, currency: '' };
}

/** Returns the change in cost of a previewed operation, or undefined if no paid resource changes. */
export async function costPreview(
  context: Context,
  { plan, infra }: Pick<OperationResult, 'plan' | 'infra'>,
  given?: Definition,
): Promise<CostPreview | undefined> {
  if (!changesPaid(plan)) return undefined;
  const inventory = await (await context.client()).infras.inventory({ workspace: context.workspace, infra });
  const touched = listPaidChanges(plan, inventory, given);
  return previewCosts(touched, await pricesFor(context, listPricedServers(touched)));
}
