import { groupByKey } from '../../core/grouped.js';
import { inventoryOf } from '../../core/infra/grant.js';
import type { Grant } from '../../core/infra/lock.js';
import type { EarlyLook, MachinePlan } from '../../core/operation/machine-plan.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { isPowerVerb } from '../../core/operation/power.js';
import { workScopeOf } from '../../core/operation/work-scope.js';
import type { PlanServersInput } from '../machine/plan-servers.js';

/** An operation that is about to begin. */
export interface Beginning {
  request: OperationRequest;
  grant: Grant;
}

/**
 * Compares the machines of many operations on one infra with their providers, with one query to each provider instead
 * of one by each operation. It answers by operation. Operations that must look themselves get no answer: those on
 * existing hosts, on accounts with their own queue, and those with a fault, which they report in their own record.
 *
 * @param look queries the providers
 * @param isQueued whether the account of a provider has its own queue
 */
export async function lookEarly(
  beginnings: Beginning[],
  look: (input: PlanServersInput) => Promise<MachinePlan>,
  isQueued: (provider: string) => boolean,
): Promise<Map<string, EarlyLook>> {
  const asked = beginnings.flatMap((beginning) => askedBy(beginning, isQueued));
  const at = Date.now();
  const answers = new Map<string, EarlyLook>();
  await Promise.all(
    [...groupByKey(asked, ({ scope }) => scope.uuid).values()].map(async (members) => {
      const [{ scope }] = members as [(typeof members)[0]];
      const all = { scope, ensure: members.flatMap(({ ensure }) => ensure), remove: members.flatMap(({ remove }) => remove) };
      const plan = await look(all).catch(() => undefined);
      if (!plan) return;
      const servers = new Map(plan.servers.map((change) => [change.server, change]));
      for (const { id, ensure, remove } of members) {
        const uses = new Set(ensure.map(({ provider, network }) => `${provider}/${network}`));
        answers.set(id, {
          at,
          servers: [...ensure, ...remove].flatMap(({ name }) => servers.get(name) ?? []),
          networks: plan.networks.filter(({ provider, name }) => uses.has(`${provider}/${name}`)),
        });
      }
    }),
  );
  return answers;
}

/** Query of an operation, if it may be combined with others. */
function askedBy({ request, grant }: Beginning, isQueued: (provider: string) => boolean): (PlanServersInput & { id: string })[] {
  // A power operation queries the power state, not the server.
  if (isPowerVerb(request.intent.verb) || grant.superseded) return [];
  const inventory = inventoryOf(grant, request);
  const { workspace, infra, uuid } = inventory;
  try {
    const { ensureServers, removeServers } = workScopeOf(request, inventory);
    const ensure = ensureServers.map(({ taskservs: _, ...spec }) => spec);
    const remove = removeServers.map(({ name, provider, spec }) => ({ name, provider, spec }));
    const machines = [...ensure, ...remove.map(({ provider, spec }) => ({ provider, host: spec.host }))];
    if (machines.length === 0 || machines.some(({ provider, host }) => host || isQueued(provider))) return [];
    return [{ id: request.id, scope: { workspace, infra, uuid }, ensure, remove }];
  } catch {
    return [];
  }
}
