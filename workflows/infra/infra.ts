import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Definition } from '../../core/definition/definition.js';
import { same } from '../../core/encoding/hash.js';
import { type MaybePacked, opened, pack } from '../../core/encoding/pack.js';
import { versionOf, WORKFLOWS_VERSION } from '../../core/engine/workflows-version.js';
import { grouped } from '../../core/grouped.js';
import { touchesClaims } from '../../core/infra/claims.js';
import { compact, grantFor } from '../../core/infra/grant.js';
import { emptyInventory, type Inventory, type InventoryChange, isEmpty, put } from '../../core/infra/inventory.js';
import { laterOf, supersededBy } from '../../core/infra/received.js';
import type { Grant, Holder, LockRequest, Waiter } from '../../core/operation/operation.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { Admission } from './admission.js';
import { infraDetails } from './infra-details.js';
import { type FormerInfraState, type InfraState, STATE_VERSION, upgraded } from './infra-state.js';
import { watcherOf } from './watch-holders.js';

/** An operation asks for resources; the answer is the signal `granted`. */
export const acquire = defineSignal<[LockRequest]>('acquire');
/** The holder of a grant records what it did. */
export const changed = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('changed');
/** The holder of a grant is done; late changes may come with it. */
export const release = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('release');
/** The same for many: what holders did, and which of them are done. */
export const told = defineSignal<[InfraNews[]]>('told');
/** These operations are over and will not say so themselves. */
export const forgotten = defineSignal<[string[]]>('forgotten');
/**
 * A batch asks for many operations at once, with the definition that they are to
 * apply where there is one. Answered with those that are granted by now; of the
 * others the batch hears by `grantable`, and asks again.
 */
export const acquireMany = defineUpdate<Record<string, Grant>, [{ wishes: LockRequest[]; definition?: Definition }]>('acquireMany');
/** Sent to a batch: these of its operations are granted. */
export const grantable = defineSignal<[string[]]>('grantable');
/** Sent to an operation: its resources are its own until it ends. */
export const granted = defineSignal<[Grant]>('granted');
export const inventoryQuery = defineQuery<MaybePacked<Inventory>>('inventory');
export const locksQuery = defineQuery<Locks>('locks');
/** For what one operation waits; undefined when it is not in the queue. */
export const waitQuery = defineQuery<Waiter | undefined, [operation: string]>('wait');

/** Who works and who waits; of very many the first. */
export interface Locks {
  holders: Holder[];
  waiters: Waiter[];
}

/** What the holder of a grant has to say. */
export interface InfraNews {
  grant: number;
  changes: InventoryChange[];
  /** It is done. */
  ended?: true;
}

/** The input of a run of the entity. */
export interface InfraInput {
  workspace: string;
  infra: string;
  /** What the run before it handed on, in the form of the version that it ran. */
  state?: MaybePacked<InfraState | FormerInfraState>;
  /** Events of history after which it begins a new run when nobody holds a lock; twice as many when somebody does. */
  continueAfter?: number;
}

/** From within the workflow's own task: the entity answers nobody before. A store that does not answer is waited for. */
const { beginState } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
  localRetryThreshold: '5 s',
});

/** Grants on their way at once; the service allows 2,000 signals. */
const ON_THE_WAY = 500;
/** More than an infra ever gives; numbers stay exact for millions of lives. */
const GRANTS_OF_A_LIFE = 2 ** 30;
const NOBODY: ReadonlySet<string> = new Set();
/** Holders and waiters that one answer names. */
const LISTED = 500;

/**
 * The entity of one infrastructure: its inventory, and the only lock. Requests
 * that clash with nothing before them are granted at once; the others queue
 * (workflows/infra/queue-order.ts). A lock ends with its holder, however that ends.
 */
export async function infra(input: InfraInput): Promise<void> {
  refuseBadRequest('infra', input);
  // Nobody of ours ever cancels it, and with it all would be forgotten that it knows.
  return CancellationScope.nonCancellable(() => serve(input));
}

async function serve({ workspace, infra: name, state, continueAfter = 4_000 }: InfraInput): Promise<void> {
  const before = state && upgraded(opened(state));
  const inventory = before ? ownTables(before.inventory) : emptyInventory({ workspace, infra: name, uuid: uuid4() });
  const admission = new Admission(() => inventory, before);
  let received = before?.received;
  let version = 0;
  let onTheWay = 0;
  let closing = false;
  /** Whether the state that it begins with is the latest: nothing is given away before. */
  let begun = false;
  /** Those that get their answer as soon as it has begun. */
  const early = new Set<string>();
  // Handlers begin outside of it, where a cancel would end what they do.
  const own = CancellationScope.current();

  /** Not waited for: that nobody is there to hear it is known later, and the next must not wait for it. */
  const say = (operations: string[], saying: () => Promise<void>) => {
    onTheWay++;
    own
      .run(saying)
      .catch((error) => {
        if (isCancellation(error)) throw error;
        admission.forget(operations);
      })
      .finally(() => {
        onTheWay--;
        admit();
      });
  };
  /** Admits whom it can; those that are just asking get their answer otherwise. */
  const admit = (asking: ReadonlySet<string> = NOBODY) => {
    version++;
    if (closing || !begun) return;
    const admitted = admission.admit(Date.now(), ON_THE_WAY - onTheWay);
    for (const holder of admitted.filter(({ batch }) => batch === undefined)) {
      const superseded = supersededBy(holder, inventory, received);
      const answer = { ...grantFor(holder.grant, inventory, holder.needs), ...(superseded && { superseded }) };
      say([holder.operation], () => getExternalWorkflowHandle(holder.operation).signal(granted, answer));
    }
    const others = admitted.filter(({ operation }) => !asking.has(operation));
    for (const [batch, members] of grouped(others, (one) => one.batch)) {
      const operations = members.map(({ operation }) => operation);
      if (batch !== undefined) say(operations, () => getExternalWorkflowHandle(batch).signal(grantable, operations));
    }
    watcher.look();
  };
  const watcher = watcherOf(admission, (operations) => {
    admission.forget(operations);
    admit();
  });
  const apply = (grant: number, changes: InventoryChange[]) => {
    // A grant that was revoked (its holder looked dead) records nothing any more.
    const operation = admission.operationOf(grant);
    if (operation === undefined) return;
    for (const change of changes) {
      put(inventory, change);
      if (change.change === 'received') received = laterOf(received, { operation, submitted: change.submitted });
    }
    if (changes.some(({ change }) => touchesClaims(change))) admission.judgeAnew();
  };

  setHandler(acquire, (request) => {
    admission.ask(request, Date.now());
    admit();
  });
  setHandler(changed, ({ grant, changes }) => {
    apply(grant, changes);
    admit();
  });
  setHandler(release, ({ grant, changes }) => {
    apply(grant, changes);
    admission.release(grant);
    admit();
  });
  setHandler(told, (news) => {
    for (const { grant, changes, ended } of news) {
      apply(grant, changes);
      if (ended) admission.release(grant);
    }
    admit();
  });
  setHandler(forgotten, (operations) => {
    admission.forget(operations);
    admit();
  });
  const askMany = ({ wishes, definition }: { wishes: LockRequest[]; definition?: Definition }) => {
    const [{ batch: operation = '', submitted } = {}] = wishes as (LockRequest | undefined)[];
    // An older definition takes no newer one's place: the operations go by that.
    const older = submitted !== undefined && received !== undefined && received.submitted > submitted;
    if (definition && !older) {
      if (submitted !== undefined) received = laterOf(received, { operation, submitted });
      if (!same(definition, inventory.definition)) {
        put(inventory, { change: 'definition', definition });
        admission.judgeAnew();
      }
    }
    for (const wish of wishes) admission.ask(wish, Date.now());
    if (!begun) for (const wish of wishes) early.add(wish.operation);
  };
  const grantsOf = (wishes: LockRequest[]) => {
    admit(new Set(wishes.map(({ operation }) => operation)));
    const holders = wishes.flatMap(({ operation }) => admission.holder(operation) ?? []);
    return Object.fromEntries(holders.map(({ operation, grant, needs }) => [operation, grantFor(grant, inventory, needs)]));
  };
  setHandler(acquireMany, (asked) => {
    askMany(asked);
    return begun ? grantsOf(asked.wishes) : condition(() => begun).then(() => grantsOf(asked.wishes));
  });
  setHandler(inventoryQuery, () => compact(inventory));
  setHandler(locksQuery, () => ({ holders: admission.holders(LISTED), waiters: admission.waiters(LISTED) }));
  setHandler(waitQuery, (operation) => admission.waiter(operation));

  const sequence = await beginState({ workspace, infra: name, ...(before && { sequence: before.sequence }) });
  // A new life has other grants: what was recorded of a former one names none of these.
  if (!before) admission.grantFrom(sequence * GRANTS_OF_A_LIFE);
  begun = true;
  admit(early);
  for (let seen = -1; ; ) {
    const idle = admission.size === 0 && onTheWay === 0;
    if (idle && isEmpty(inventory)) return;
    const { historyLength, continueAsNewSuggested, memo } = workflowInfo();
    // A busy infra continues as new as well; what it holds and who waits goes along.
    if (continueAsNewSuggested || historyLength > (idle ? 1 : 2) * continueAfter) break;
    // Whatever a former build began is left behind at the first quiet moment: no later one has to replay it.
    if (idle && versionOf(memo) < WORKFLOWS_VERSION && patched('leave-former-run')) break;
    if (seen !== version) setCurrentDetails(infraDetails(inventory, admission));
    seen = version;
    await condition(() => version !== seen || workflowInfo().historyLength > 2 * continueAfter);
  }
  closing = true;
  watcher.stop();
  await condition(() => onTheWay === 0 && allHandlersFinished());
  const known = { inventory, sequence: sequence + 1, ...(received && { received }) };
  const next: InfraState = { version: STATE_VERSION, ...known, ...admission.state() };
  await continueAsNew<typeof infra>({ workspace, infra: name, continueAfter, state: { packed: pack(next) } });
}

/** Equal parts of what was unpacked are one object, and only the tables of the inventory are modified. */
const ownTables = (inventory: Inventory): Inventory => ({
  ...inventory,
  servers: { ...inventory.servers },
  networks: { ...inventory.networks },
});
