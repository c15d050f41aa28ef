import type { Definition, ServerSpec } from '../../core/definition/definition.js';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import { type CostChange, costOf, differenceOf, type PriceList, type ServerCost, sumOf } from '../../core/machine/cost.js';
import type { OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { registries } from '../../definition/registries/registries.js';
import type { MonthlyCost } from '../../definition/rules/judge.js';
import type { Context } from '../context.js';
import { answerOf } from './answers.js';

type Priced = Omit<ServerSpec, 'taskservs'>;
export type PriceOf = (spec: Priced) => ServerCost;

/** Prices for servers; what cannot be learned is unknown, with the reason. */
export async function pricesFor(context: Context, specs: readonly Priced[], options: { fresh?: boolean } = {}): Promise<PriceOf> {
  const { providers } = await registries();
  const lists = new Map<string, PriceList>();
  for (const name of new Set(specs.filter(({ host }) => !host).map(({ provider }) => provider))) {
    if (providers[accountIn(name).provider]?.free) lists.set(name, { free: true });
    else lists.set(name, await listOf(context, name, options));
  }
  return (spec) => costOf(spec, lists.get(spec.provider) ?? { unknown: 'the provider was not asked' });
}

async function listOf(context: Context, provider: string, options: { fresh?: boolean }): Promise<PriceList> {
  try {
    return { sold: (await answerOf(context, provider, 'plans', options)).answer };
  } catch (error) {
    return { unknown: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
  }
}

/** What a definition costs. */
export async function costsOf(context: Context, { servers }: Definition, options: { fresh?: boolean } = {}) {
  const priceOf = await pricesFor(context, servers, options);
  const rows = servers.map(priceOf);
  return { servers: rows, ...sumOf(rows) };
}

/** What a definition costs a month, for rules. Where a price is not known, or there are several currencies, it says so. */
export async function monthlyCostOf(context: Context, definition: Definition): Promise<MonthlyCost> {
  const { sums, unknown } = await costsOf(context, definition);
  const [only] = sums;
  if (unknown > 0) return { unknown: `of ${unknown === 1 ? '1 server' : `${unknown} servers`} no price is known` };
  if (sums.length > 1) return { unknown: `it is paid in ${sums.map(({ currency }) => currency).join(' and ')}` };
  return only ? { monthly: only.monthly, currency: only.currency } : { monthly: 0, currency: '' };
}

/** What an operation that was looked at would change in what is paid: for servers that it makes, changes or takes away. */
export interface CostPreview {
  changes: CostChange[];
  /** By currency; absent where something is not known. */
  difference?: ReturnType<typeof differenceOf>;
}

/** What changes what is paid for: neither an adopted host nor one that is let go of does. */
const PAID: ReadonlySet<PlannedStep['machine']> = new Set(['create', 'update', 'replace', 'delete']);

/** Undefined where nothing that is paid for changes. */
export async function costPreview(
  context: Context,
  { plan, infra }: Pick<OperationResult, 'plan' | 'infra'>,
  given?: Definition,
): Promise<CostPreview | undefined> {
  const lines = plan.filter(({ machine }) => PAID.has(machine));
  if (lines.length === 0) return undefined;
  const inventory = await (await context.client()).infras.inventory({ workspace: context.workspace, infra });
  const definition = given ?? inventory?.definition;
  const wanted = new Map(definition?.servers.map((server) => [server.name, server]));
  const touched = lines.map(({ on, machine }) => ({
    server: on,
    before: inventory?.servers[on]?.spec,
    after: machine === 'delete' ? undefined : wanted.get(on),
  }));
  const priceOf = await pricesFor(
    context,
    touched.flatMap(({ before, after }) => [before ?? [], after ?? []].flat()),
  );
  const changes = touched.map(
    ({ server, before, after }): CostChange => ({
      server,
      ...(before ? { before: priceOf(before) } : {}),
      ...(after ? { after: priceOf(after) } : {}),
    }),
  );
  if (changes.every(({ before, after }) => [before, after].every((one) => !one || 'free' in one))) return undefined;
  const difference = differenceOf(changes);
  return { changes, ...(difference ? { difference } : {}) };
}
