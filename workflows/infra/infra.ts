import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { type Packable, pack, unpackIfPacked } from '../../core/encoding/pack.js';
import { readWorkflowsVersion, WORKFLOWS_VERSION } from '../../core/engine/workflows-version.js';
import type { AskedLock, GrantAnswer } from '../../core/infra/asked-lock.js';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import { compact } from '../../core/infra/grant.js';
import { type Inventory, type InventoryChange, isEmpty } from '../../core/infra/inventory.js';
import type { Grant, GrantQuery } from '../../core/infra/lock.js';
import type { Outage } from '../../core/infra/outage.js';
import { UNKNOWN_DEFINITION } from '../../core/names.js';
import type { Holder, LockRequest, Waiter, Wishes } from '../../core/operation/operation.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { Admission } from './admission.js';
import { Admitter } from './admitter.js';
import { beginState } from './begin-state.js';
import { type FeedOnTheWay, FeedWriter } from './feed.js';
import { infraDetails } from './infra-details.js';
import { InfraRecord } from './infra-record.js';
import { type FormerInfraState, type InfraState, type RecoveredInfra, STATE_VERSION, upgradeInfraState } from './infra-state.js';

/** An operation asks for resources; the answer is the signal `granted`, or at once the query `grant`. */
export const acquire = defineSignal<[AskedLock]>('acquire');
/** The holder of a grant records what it did. */
export const changed = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('changed');
/** The holder of a grant is done; late changes may come with it. */
export const release = defineSignal<[{ grant: number; changes: InventoryChange[] }]>('release');
/** The same for many: what holders did, and which of them are done. */
export const infraNewsSignal = defineSignal<[InfraNews[]]>('told');
/** These operations are over and will not say so themselves. */
export const forgotten = defineSignal<[string[]]>('forgotten');
/**
 * Request of a batch for many operations, with the definition that they apply if the infra may not have it. The answer
 * has the present grants. The batch learns about others by `grantable`, and asks again.
 */
export const acquireMany = defineUpdate<Record<string, Grant>, [Wishes]>('acquireMany');
/** Sent to a batch: these of its operations are granted. */
export const grantable = defineSignal<[string[]]>('grantable');
/** Sent to an operation: its resources are its own until it ends. */
export const granted = defineSignal<[Grant]>('granted');
export const inventoryQuery = defineQuery<Packable<Inventory>>('inventory');
export const locksQuery = defineQuery<Locks>('locks');
/** For what one operation waits; undefined when it is not in the queue. */
export const waitQuery = defineQuery<Waiter | undefined, [operation: string]>('wait');
/** Present grant of an operation. */
export const grantQuery = defineQuery<GrantAnswer, [operation: string]>('grant');
/** Whether each queried operation still holds its grant. */
export const holdsQuery = defineQuery<boolean[], [asked: GrantQuery[]]>('holds');

/** The definitions that were applied, newest first. */
export const definitionsQuery = defineQuery<DefinitionRow[]>('definitions');
/** One of them by its content address, as long as it is kept whole. */
export const definitionQuery = defineQuery<Packable<Definition> | null, [hash: string]>('definition');

/** How far the store has what was accepted, and whether it has all of what was done under a grant. */
export const feedQuery = defineQuery<FeedState, [grant?: number]>('feed');

/** Holders and waiting operations, the first ones if there are many. */
export interface Locks {
  holders: Holder[];
  waiters: Waiter[];
}

/** Report of the holder of a grant. */
export interface InfraNews {
  grant: number;
  changes: InventoryChange[];
  /** It is done. */
  ended?: true;
}

/** Input of a run of the entity. */
export interface InfraInput {
  workspace: string;
  infra: string;
  /** State of the former run, in the form of its version. */
  state?: Packable<InfraState | FormerInfraState>;
  /** State for an entity whose former workflow was lost. */
  recovered?: Packable<RecoveredInfra>;
  /** Number of events after which it begins a new run when no lock is held; twice as many otherwise. */
  continueAfter?: number;
  /** The first pause between looks at those who hold locks, by which all others are measured, in milliseconds. Default 2,000. */
  paceMs?: number;
}

/** More than an infra ever gives; numbers stay exact for millions of lives. */
const GRANTS_OF_A_LIFE = 2 ** 30;
/** Holders and waiters that one answer names. */
const LISTED = 500;
/** The version of workflows since which what is accepted is kept. */
const FED_SINCE = 2;
/** The version of workflows since which operations ask for the answer. */
const TOLD_AGAIN_SINCE = 2;

/**
 * The entity of one infrastructure: its inventory, and the only lock. Requests
 * that clash with nothing before them are granted at once; the others queue
 * (workflows/infra/queue-order.ts). A lock ends with its holder, however that ends.
 */
export async function infra(input: InfraInput): Promise<void> {
  refuseBadRequest('infra', input);
  // The platform never cancels it, because its whole state would be lost.
  return CancellationScope.nonCancellable(() => serve(input));
}

async function serve({ workspace, infra: name, state, recovered, continueAfter = 4_000, paceMs }: InfraInput): Promise<void> {
  const before = state && upgradeInfraState(unpackIfPacked(state));
  const found = recovered && unpackIfPacked(recovered);
  const record = new InfraRecord({ workspace, infra: name }, before ?? (found && { ...found, brought: {} }), (accepted) => {
    feed?.put(accepted);
  });
  const admission = new Admission(() => record.inventory, before);
  const announcing = {
    granted: (operation: string, grant: Grant) => getExternalWorkflowHandle(operation).signal(granted, grant),
    grantable: (batch: string, operations: string[]) => getExternalWorkflowHandle(batch).signal(grantable, operations),
  };
  const admitter = new Admitter(record, admission, announcing, paceMs);
  const onTheWay = found ? { last: found.last, waiting: [] } : before?.feed;
  const feed = hasFeed() ? feedOf(record, admission, onTheWay, admitter) : undefined;
  takeRequests(admission, admitter);
  takeNews(record, admission, admitter, () => feed?.flush());
  takeBatches(record, admission, admitter);
  let outage: Outage | undefined;
  answerQueries(record, admission, feed, () => outage);

  const sequence = await beginState({ workspace, infra: name, ...(before && { sequence: before.sequence }) }, (said) => {
    outage = said;
  });
  // A new life has other grants: what was recorded of a former one names none of these.
  if (!before) admission.grantFrom(sequence * GRANTS_OF_A_LIFE);
  if (before || found) feed?.begin();
  admitter.begin();
  for (let seen = -1; ; ) {
    const { idle } = admitter;
    if (idle && isEmpty(record.inventory)) {
      feed?.end();
      if (!feed || feed.isKept) return;
    }
    if (!feed?.trouble?.refused && isToContinueAsNew(idle, continueAfter)) break;
    if (seen !== admitter.version) setCurrentDetails(infraDetails(record.inventory, admission, feed?.state()));
    seen = admitter.version;
    await condition(() => admitter.version !== seen || workflowInfo().historyLength > 2 * continueAfter);
  }
  admitter.close();
  // Otherwise endless changes would prevent the end of the run.
  feed?.rest();
  await condition(() => admitter.allTold && feed?.atRest !== false && allHandlersFinished());
  feed?.close();
  const admitted = admission.state();
  const known = record.state([...admitted.holders, ...admitted.waiters]);
  const next: InfraState = {
    ...{ version: STATE_VERSION, ...known, sequence: sequence + 1, ...admitted },
    ...(feed && { feed: feed.onTheWay() }),
  };
  const pace = paceMs !== undefined && { paceMs };
  await continueAsNew<typeof infra>({ workspace, infra: name, continueAfter, ...pace, state: { packed: pack(next) } });
}

/**
 * Whether a granted operation that repeats its request gets the grant again: it expected it in the answer, and got
 * none.
 */
const tellsAgain = () => readWorkflowsVersion(workflowInfo().memo) >= TOLD_AGAIN_SINCE;

/** Whether it writes a feed: runs that a former release began do not, and end at their first quiet moment. */
const hasFeed = () => readWorkflowsVersion(workflowInfo().memo) >= FED_SINCE;

function feedOf(record: InfraRecord, admission: Admission, onTheWay: FeedOnTheWay | undefined, admitter: Admitter): FeedWriter {
  const { workspace, infra: name, uuid } = record.inventory;
  const source = {
    scope: { workspace, infra: name, uuid },
    known: () => record.known(),
    isQuiet: () => admission.size === 0,
  };
  const feed = new FeedWriter(source, onTheWay, () => {
    // The store has resources that this entity does not know, and an operation might work on them.
    if (feed.trouble?.refused) admitter.halt();
    admitter.admit();
  });
  return feed;
}

/** A busy infra continues as new as well; what it holds and who waits goes along. */
function isToContinueAsNew(idle: boolean, continueAfter: number): boolean {
  const { historyLength, continueAsNewSuggested, memo } = workflowInfo();
  if (continueAsNewSuggested || historyLength > (idle ? 1 : 2) * continueAfter) return true;
  // Whatever a former build began is left behind at the first quiet moment: no later one has to replay it.
  return idle && readWorkflowsVersion(memo) < WORKFLOWS_VERSION && patched('leave-former-run');
}

/** Hears who wants to work. */
function takeRequests(admission: Admission, admitter: Admitter): void {
  setHandler(acquire, ({ hears, ...request }) => {
    const { operation } = request;
    const isAgain = !hears && tellsAgain() && admission.holder(operation) !== undefined;
    admission.ask(request, Date.now());
    admitter.admit(hears && new Set([operation]));
    if (isAgain) admitter.tellAgain(operation);
  });
}

/** Hears what those who hold grants have done, and that some hold theirs no more. */
function takeNews(record: InfraRecord, admission: Admission, admitter: Admitter, ended: () => void): void {
  const apply = (grant: number, changes: InventoryChange[]) => {
    // A grant that was revoked (its holder looked dead) records nothing any more.
    const holder = admission.holding(grant);
    if (holder && record.write(holder, changes)) admission.judgeAnew();
  };
  setHandler(changed, ({ grant, changes }) => {
    apply(grant, changes);
    admitter.admit();
  });
  setHandler(release, ({ grant, changes }) => {
    apply(grant, changes);
    admission.release(grant);
    ended();
    admitter.admit();
  });
  setHandler(infraNewsSignal, (news) => {
    for (const { grant, changes, ended: isOver } of news) {
      apply(grant, changes);
      if (isOver) admission.release(grant);
    }
    if (news.some(({ ended: isOver }) => isOver)) ended();
    admitter.admit();
  });
  setHandler(forgotten, (operations) => {
    admission.forget(operations);
    ended();
    admitter.admit();
  });
}

/** Hears what batches want to do, and answers what they may do at once. */
function takeBatches(record: InfraRecord, admission: Admission, admitter: Admitter): void {
  const serveWishes = ({ wishes, definition }: Wishes) => {
    const applies = wishes[0]?.applies;
    if (definition && applies !== undefined) record.bring(applies, definition);
    else if (definition && record.receive(definition, wishes[0] ?? {})) admission.judgeAnew();
    admitter.askMany(wishes);
    const answer = () => admitter.grantsOf(wishes);
    return admitter.begun ? answer() : condition(() => admitter.begun).then(answer);
  };
  setHandler(acquireMany, serveWishes, {
    validator({ wishes, definition }) {
      const brought = definition && wishes[0]?.applies;
      const isMissing = ({ applies }: LockRequest) => applies !== undefined && applies !== brought && !record.has(applies);
      if (!wishes.some(isMissing)) return;
      throw ApplicationFailure.nonRetryable('the definition is not here: bring it along', UNKNOWN_DEFINITION);
    },
  });
}

function answerQueries(
  record: InfraRecord,
  admission: Admission,
  feed: FeedWriter | undefined,
  outage: () => Outage | undefined,
): void {
  const { inventory, definitions } = record;
  setHandler(grantQuery, (operation) => {
    const holder = admission.holder(operation);
    if (holder) return record.grantTo(holder);
    return admission.waiter(operation) ? 'waits' : null;
  });
  setHandler(feedQuery, (grant) => feed?.state(grant) ?? { last: 0, waiting: 0, kept: 0, keptOf: true });
  setHandler(inventoryQuery, () => compact(inventory));
  setHandler(definitionsQuery, () => definitions.rows());
  setHandler(definitionQuery, (hash) => {
    const found = definitions.content(hash);
    return found ? { packed: pack(found) } : null;
  });
  setHandler(locksQuery, () => ({ holders: admission.holders(LISTED), waiters: admission.waiters(LISTED) }));
  setHandler(holdsQuery, (asked) => asked.map((one) => admission.holds(one)));
  setHandler(waitQuery, (operation) => {
    const [waiter, away] = [admission.waiter(operation), outage()];
    return waiter && away ? { ...waiter, outage: away } : waiter;
  });
}
