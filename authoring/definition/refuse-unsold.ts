import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerSpec } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import { registries } from '../../definition/registries/registries.js';
import { type Offer, unsold } from '../../definition/unsold.js';
import { askPlans, askZones } from '../catalog/answers.js';
import type { Context } from '../context.js';
import { keepCredentials } from '../secrets/keep-environment.js';
import { DefinitionError } from './definition-error.js';
import type { Read } from './definitions.js';

/** Time limit for a provider's list of offers before the operation begins without it, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * Rejects a definition whose new servers are not available, before anything is changed. Cached lists are refreshed
 * before a rejection. A provider that cannot be queried reports the problem later.
 *
 * @throws DefinitionError with every such problem of the file
 */
export async function refuseUnsold(context: Context, { definition, source }: Read): Promise<void> {
  const { providers } = await registries();
  const bought = definition.servers.filter(({ host, provider }) => !host && !providers[accountIn(provider).provider]?.free);
  if (bought.length === 0) return;
  const fresh = await withoutKnown(context, definition.infra, bought);
  if (fresh.length === 0) return;
  const accounts = [...new Set(fresh.map(({ provider }) => provider))];
  await keepCredentials(context, accounts);
  for (const options of [{}, { fresh: true }]) {
    const offers = await Promise.all(accounts.map(async (account) => [account, await offerOf(context, account, options)] as const));
    const problems = unsold(source, fresh, new Map(offers.flatMap(([account, offer]) => (offer ? [[account, offer]] : []))));
    if (problems.length === 0) return;
    if ('fresh' in options) throw new DefinitionError(source.file, problems);
  }
}

/** Leaves out servers that exist as requested: discontinued plans keep running. */
async function withoutKnown(context: Context, infra: string, servers: readonly ServerSpec[]): Promise<ServerSpec[]> {
  const inventory = await (await context.client()).infras
    .inventory({ workspace: context.workspace, infra })
    .catch((error: unknown) => {
      if (error instanceof ProvisioningError && error.details.code === 'no-worker') return 'unknown' as const;
      throw error;
    });
  // Without a worker the stock cannot be queried. Submitting the request reports the missing worker.
  if (inventory === 'unknown') return [];
  return servers.filter(({ name, plan, zone }) => {
    const there = inventory?.servers[name]?.spec;
    return there?.plan.name !== plan.name || there.zone !== zone;
  });
}

/** Returns undefined if the offers are unknown. The operation reports the reason if it matters. */
async function offerOf(context: Context, account: string, options: { fresh?: boolean }): Promise<Offer | undefined> {
  const asked = Promise.all([askPlans(context, account, options), askZones(context, account, options)]).then(
    ([plans, zones]): Offer => ({ sold: plans.answer, zones: zones.answer }),
    () => undefined,
  );
  return Promise.race([asked, sleep(PATIENCE_MS, undefined, { ref: false })]);
}
