import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { emptyInventory, type Inventory, type InventoryChange, isEmpty, record } from '../core/inventory.js';
import type { Grant, Holder, LockRequest, Waiter } from '../core/operation.js';
import { clashOf } from '../core/work-scope.js';

/** An operation asks for resources; the answer is the signal `granted`. */
export const acquire = defineSignal<[LockRequest]>('acquire');
/** The holder of a grant records what it did. */
export const changed = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('changed');
/** The holder of a grant is done; late changes may come with it. */
export const release = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('release');
/** Sent to an operation: its resources are its own until it ends. */
export const granted = defineSignal<[Grant]>('granted');
export const inventoryQuery = defineQuery<Inventory>('inventory');
export const locksQuery = defineQuery<{ holders: Holder[]; waiters: Waiter[] }>('locks');

interface InfraState {
  inventory: Inventory;
  holders: Holder[];
  waiters: (LockRequest & { since: string })[];
  nextGrant: number;
}

/** Operations of less than this never make the watcher look. */
const SETTLE_MS = 2_000;

const { watchHolders } = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '30 s',
  retry: { maximumInterval: '10 s' },
});

/**
 * The entity of one infrastructure: its inventory, and the only lock. Requests
 * that clash with nothing before them are granted at once; the others queue in
 * order. A lock ends with its holder, however that ends: a watcher sees it.
 */
export async function infra({
  workspace,
  infra: name,
  state,
  continueAfter = 4_000,
}: {
  workspace: string;
  infra: string;
  state?: InfraState;
  /** Events of history after which it begins a new run when nobody holds a lock; twice as many when somebody does. */
  continueAfter?: number;
}): Promise<void> {
  let { inventory, holders, waiters, nextGrant }: InfraState = state ?? {
    inventory: emptyInventory({ workspace, infra: name, uuid: uuid4() }),
    holders: [],
    waiters: [],
    nextGrant: 1,
  };
  let version = 0;
  const now = () => new Date(Date.now()).toISOString();
  const blockers = (request: LockRequest, index: number) =>
    [...holders, ...waiters.slice(0, index)].flatMap((other) => {
      const resource = clashOf(request.resources, other.resources);
      return resource ? [{ operation: other.operation, resource, since: other.since }] : [];
    });

  setHandler(acquire, (request) => {
    const known = [...holders, ...waiters].some(({ operation }) => operation === request.operation);
    if (!known) waiters.push({ ...request, since: now() });
    version++;
  });
  const apply = (grant: number, changes: InventoryChange[]) => {
    // A grant that was taken back (its holder looked dead) records nothing any more.
    if (!holders.some((holder) => holder.grant === grant)) return;
    for (const change of changes) inventory = record(inventory, change);
  };
  setHandler(changed, ({ grant, changes }) => apply(grant, changes));
  setHandler(release, ({ grant, changes }) => {
    apply(grant, changes);
    holders = holders.filter((holder) => holder.grant !== grant);
    version++;
  });
  setHandler(inventoryQuery, () => inventory);
  setHandler(locksQuery, () => ({
    holders,
    waiters: waiters.map((waiter, index) => ({ ...waiter, blockedBy: blockers(waiter, index) })),
  }));

  const forget = (operations: string[]) => {
    holders = holders.filter(({ operation }) => !operations.includes(operation));
    waiters = waiters.filter(({ operation }) => !operations.includes(operation));
    version++;
  };

  const grantNext = async () => {
    const index = waiters.findIndex((waiter, position) => blockers(waiter, position).length === 0);
    const next = waiters[index];
    if (!next) return false;
    waiters.splice(index, 1);
    const holder: Holder = { ...next, grant: nextGrant++, since: now() };
    holders.push(holder);
    try {
      await getExternalWorkflowHandle(holder.operation).signal(granted, { grant: holder.grant, inventory });
    } catch (error) {
      if (isCancellation(error)) throw error;
      forget([holder.operation]);
    }
    return true;
  };

  let watching: { scope: CancellationScope; seen: number } | undefined;
  const watch = () => {
    if (watching?.seen === version) return;
    watching?.scope.cancel();
    const operations = [...holders, ...waiters].map(({ operation }) => operation);
    if (operations.length === 0) {
      watching = undefined;
      return;
    }
    const scope = new CancellationScope();
    watching = { scope, seen: version };
    scope
      .run(async () => {
        await sleep(SETTLE_MS);
        forget(await watchHolders({ operations, everyMs: 1_000 }));
      })
      .catch((error) => {
        if (!isCancellation(error)) version++;
      });
  };

  for (;;) {
    while (await grantNext());
    setCurrentDetails(detailsOf(inventory, holders, waiters));
    if (holders.length === 0 && waiters.length === 0) {
      watch();
      if (isEmpty(inventory)) return;
      if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > continueAfter) break;
    }
    // A busy infra continues as new as well; what it holds goes along, and the watcher is set up again.
    const full = () => workflowInfo().historyLength > 2 * continueAfter;
    if (full()) break;
    watch();
    const seen = version;
    await condition(() => version !== seen || full());
  }
  watching?.scope.cancel();
  await condition(allHandlersFinished);
  await continueAsNew<typeof infra>({ workspace, infra: name, continueAfter, state: { inventory, holders, waiters, nextGrant } });
}

function detailsOf(inventory: Inventory, holders: Holder[], waiters: { operation: string }[]): string {
  const rows = Object.values(inventory.servers).map(
    ({ name, provider, services }) =>
      `| ${name} | ${provider} | ${Object.values(services)
        .map(({ taskserv, installed, version }) => `${taskserv} ${installed ?? version}`)
        .join(', ')} |`,
  );
  const held = holders.map(
    ({ operation, resources, since }) => `- \`${operation}\` holds ${resources.join(', ') || 'nothing'} since ${since}`,
  );
  return [
    `**${inventory.infra}** of workspace ${inventory.workspace}: ${rows.length} servers, ${holders.length} operations at work, ${waiters.length} in the queue`,
    '',
    '| server | provider | services |',
    '|---|---|---|',
    ...rows,
    '',
    ...held,
  ].join('\n');
}
