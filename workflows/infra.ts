import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { Admission, type AdmissionState } from '../core/admission.js';
import { touchesClaims } from '../core/claims.js';
import type { Definition } from '../core/definition.js';
import { compact, grantFor } from '../core/grant.js';
import { grouped } from '../core/grouped.js';
import { same } from '../core/hash.js';
import { emptyInventory, type Inventory, type InventoryChange, isEmpty, put } from '../core/inventory.js';
import type { Grant, Holder, LockRequest, Waiter } from '../core/operation.js';
import { type MaybePacked, opened, pack } from '../core/pack.js';
import { infraDetails } from './infra-details.js';
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

/** What a run of the entity hands to the next. */
export interface InfraState extends Partial<AdmissionState> {
  inventory: Inventory;
}

/** Grants on their way at once; the service allows 2,000 signals. */
const ON_THE_WAY = 500;
const NOBODY: ReadonlySet<string> = new Set();
/** Holders and waiters that one answer names. */
const LISTED = 500;

/**
 * The entity of one infrastructure: its inventory, and the only lock. Requests
 * that clash with nothing before them are granted at once; the others queue
 * (core/queue-order.ts). A lock ends with its holder, however that ends.
 */
export async function infra({
  workspace,
  infra: name,
  state,
  continueAfter = 4_000,
}: {
  workspace: string;
  infra: string;
  state?: MaybePacked<InfraState>;
  /** Events of history after which it begins a new run when nobody holds a lock; twice as many when somebody does. */
  continueAfter?: number;
}): Promise<void> {
  const before = state && opened(state);
  const inventory = before ? ownTables(before.inventory) : emptyInventory({ workspace, infra: name, uuid: uuid4() });
  const admission = new Admission(() => inventory, before && stateOf(before));
  let version = 0;
  let onTheWay = 0;
  let closing = false;

  /** Not waited for: that nobody is there to hear it is known later, and the next must not wait for it. */
  const say = (operations: string[], saying: Promise<void>) => {
    onTheWay++;
    saying
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
    if (closing) return;
    const admitted = admission.admit(Date.now(), ON_THE_WAY - onTheWay);
    for (const { operation, grant, needs } of admitted.filter(({ batch }) => batch === undefined)) {
      say([operation], getExternalWorkflowHandle(operation).signal(granted, grantFor(grant, inventory, needs)));
    }
    const others = admitted.filter(({ operation }) => !asking.has(operation));
    for (const [batch, members] of grouped(others, (one) => one.batch)) {
      const operations = members.map(({ operation }) => operation);
      if (batch !== undefined) say(operations, getExternalWorkflowHandle(batch).signal(grantable, operations));
    }
    watcher.look();
  };
  const watcher = watcherOf(admission, (operations) => {
    admission.forget(operations);
    admit();
  });
  const apply = (grant: number, changes: InventoryChange[]) => {
    // A grant that was taken back (its holder looked dead) records nothing any more.
    if (!admission.holds(grant)) return;
    for (const change of changes) put(inventory, change);
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
  setHandler(acquireMany, ({ wishes, definition }) => {
    if (definition && !same(definition, inventory.definition)) {
      put(inventory, { change: 'definition', definition });
      admission.judgeAnew();
    }
    for (const wish of wishes) admission.ask(wish, Date.now());
    admit(new Set(wishes.map(({ operation }) => operation)));
    const holders = wishes.flatMap(({ operation }) => admission.holder(operation) ?? []);
    return Object.fromEntries(holders.map(({ operation, grant, needs }) => [operation, grantFor(grant, inventory, needs)]));
  });
  setHandler(inventoryQuery, () => compact(inventory));
  setHandler(locksQuery, () => ({ holders: admission.holders(LISTED), waiters: admission.waiters(LISTED) }));
  setHandler(waitQuery, (operation) => admission.waiter(operation));

  admit();
  for (let seen = -1; ; ) {
    const idle = admission.size === 0 && onTheWay === 0;
    if (idle && isEmpty(inventory)) return;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    // A busy infra continues as new as well; what it holds and who waits goes along.
    if (continueAsNewSuggested || historyLength > (idle ? 1 : 2) * continueAfter) break;
    if (seen !== version) setCurrentDetails(infraDetails(inventory, admission));
    seen = version;
    await condition(() => version !== seen || workflowInfo().historyLength > 2 * continueAfter);
  }
  closing = true;
  watcher.stop();
  await condition(() => onTheWay === 0 && allHandlersFinished());
  const next: InfraState = { inventory, ...admission.state() };
  await continueAsNew<typeof infra>({ workspace, infra: name, continueAfter, state: { packed: pack(next) } });
}

/** Equal parts of what was unpacked are one object, and only the tables of the inventory are modified. */
const ownTables = (inventory: Inventory): Inventory => ({
  ...inventory,
  servers: { ...inventory.servers },
  networks: { ...inventory.networks },
});

const stateOf = ({ holders = [], waiters = [], nextGrant = 1, nextArrival = 1 }: InfraState): AdmissionState => ({
  holders,
  waiters,
  nextGrant,
  nextArrival,
});
