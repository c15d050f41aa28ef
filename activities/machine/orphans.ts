import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type Packable, unpackIfPacked } from '../../core/encoding/pack.js';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError, messageOf, ProvisioningError, TRANSIENT } from '../../core/errors.js';
import { type Inventory, isEmpty } from '../../core/infra/inventory.js';
import { allAccounts } from '../../core/machine/account.js';
import type { CallContext } from '../../core/machine/call-context.js';
import type { OwnedThing, ProviderConnection } from '../../core/machine/provider.js';
import { infraWorkflowId } from '../../core/names.js';
import type { Holder, Waiter } from '../../core/operation/operation.js';
import { explainOrphan, type LivingInfra, type Orphan, type OrphanReport, sortOrphans } from '../../core/operation/orphans.js';
import { hasLife } from '../../core/recovery/recovery.js';
import type { Dependencies } from '../dependencies.js';
import type { ConnectionOf } from './provider-connections.js';

/** Finds and removes resources with the platform's labels that have no owner. */
export function createOrphanActivities({
  temporal,
  providers,
  taskQueue: setup,
  keys,
  feeds,
  secrets,
  env = process.env,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  /** Asked of the entity itself: what lists say may be seconds old. */
  async function livingInfra(workspace: string, infra: string): Promise<LivingInfra | undefined> {
    const id = infraWorkflowId(workspace, infra);
    const status = await statusOf(temporal, id);
    if (!status || !isOpen(status)) return undefined;
    // Temporal cannot query a paused entity, so its resources must not be taken for ownerless.
    if (status === 'PAUSED') throw pausedOutside(infra, id);
    const entity = temporal.workflow.getHandle(id);
    const inventory = unpackIfPacked(await entity.query<Packable<Inventory>>('inventory'));
    const { holders, waiters } = await entity.query<{ holders: Holder[]; waiters: Waiter[] }>('locks');
    // The removal itself holds locks, and is not what keeps a thing from being an orphan.
    const own = activityInfo().workflowExecution?.workflowId;
    return { inventory, claimed: [...holders, ...waiters].filter(({ operation }) => operation !== own) };
  }

  return {
    /**
     * Lists the resources of a workspace that belong to no living infra, or that are in no inventory while no
     * operation works on them.
     */
    async findOrphans({ workspace }: { workspace: string }): Promise<OrphanReport> {
      const owned: (OwnedThing & { provider: string })[] = [];
      const unasked: OrphanReport['unasked'] = [];
      for (const provider of await allAccounts(providers, env, secrets)) {
        try {
          const connection = await connectionOf(provider);
          const rows = await connection.owned({ workspace, setup, signal: cancellationSignal() });
          owned.push(...rows.map((row) => ({ ...row, provider })));
        } catch (error) {
          cancellationSignal().throwIfAborted();
          unasked.push({ provider, why: error instanceof ProvisioningError ? error.details.why : messageOf(error) });
        }
      }
      // After the providers, so resources that an operation creates in this time are seen as worked on.
      const infras = new Map<string, LivingInfra | undefined>();
      const kept = new Map<string, string | undefined>();
      const orphans: Orphan[] = [];
      for (const one of owned) {
        const { infra } = one.scope;
        if (!infras.has(infra)) infras.set(infra, await livingInfra(workspace, infra));
        const reason = explainOrphan(one, infras.get(infra));
        if (!reason) continue;
        const life = `${infra} ${one.scope.uuid}`;
        if (!kept.has(life)) kept.set(life, await keptFor(feeds, one, infras.get(infra)));
        orphans.push(await withMaker(temporal, { ...one, reason: kept.get(life) ?? reason }));
      }
      return { orphans: sortOrphans(orphans), unasked };
    },

    /** Removes a resource that is still an orphan. Otherwise returns the reason to keep it. */
    async removeOrphan({ orphan }: { orphan: Orphan }): Promise<{ kept?: string }> {
      const { provider, scope, kind, name, id } = orphan;
      const connection = await connectionOf(provider);
      const context = { scope, signal: cancellationSignal() };
      const rows = await connection.owned({ workspace: scope.workspace, setup, signal: context.signal });
      const there = rows.find((one) => one.kind === kind && one.id === id && one.scope.uuid === scope.uuid);
      // An earlier attempt, or another person, may have removed it.
      if (!there) return {};
      const infra = await livingInfra(scope.workspace, scope.infra);
      if (!explainOrphan(there, infra)) return { kept: 'it is in use by now' };
      const kept = await keptFor(feeds, there, infra);
      if (kept) return { kept };
      await remove(connection, kind, name, context);
      if (kind === 'server' && !infra?.inventory.servers[name]) await keys.forget(scope, name);
      return {};
    },
  };
}

async function withMaker(temporal: Client, orphan: Orphan): Promise<Orphan> {
  const operation = orphan.key?.split('/')[0];
  if (!operation) return orphan;
  const ended = await statusOf(temporal, operation);
  return { ...orphan, operation, ...(ended ? { ended: ended.toLowerCase().replaceAll('_', ' ') } : {}) };
}

/**
 * Reason to keep an unknown resource: the store says that its infra had resources and was not deleted, as after the
 * loss of the engine's data. `infra recover` then restores it.
 */
async function keptFor(
  feeds: Dependencies['feeds'],
  { scope }: OwnedThing,
  infra: LivingInfra | undefined,
): Promise<string | undefined> {
  if (infra && !isEmpty(infra.inventory)) return undefined;
  const place = { workspace: scope.workspace, infra: scope.infra };
  try {
    const feed = (await feeds.read(place)).find(({ uuid }) => uuid === scope.uuid);
    if (!feed || !hasLife(place, [feed])) return undefined;
    return `the store has a feed of this infra: provisioning infra recover ${scope.infra}`;
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.blame === TRANSIENT) throw error;
    return `the feed of this infra cannot be read: ${error.details.why}`;
  }
}

async function remove(connection: ProviderConnection, kind: Orphan['kind'], name: string, context: CallContext): Promise<void> {
  const { servers, networks, volumes, others } = connection;
  if (kind === 'server') return servers.delete(name, context);
  if (kind === 'network') return networks.delete(name, context);
  if (kind === 'volume') return volumes.delete(name, context);
  return others?.delete(kind, name, context);
}

const pausedOutside = (infra: string, id: string) =>
  inputError({
    code: 'paused-outside',
    what: 'find orphans',
    on: `infra ${infra}`,
    why: `its entity ${id} was paused in Temporal and does not answer`,
    hint: `end the pause in Temporal: \`temporal workflow unpause --workflow-id ${id}\``,
  });

/** State of a workflow. Undefined if it does not exist. */
async function statusOf(temporal: Client, workflow: string): Promise<string | undefined> {
  try {
    return (await temporal.workflow.getHandle(workflow).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
