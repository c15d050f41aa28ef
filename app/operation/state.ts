import {
  CancelledFailure,
  QueryNotRegisteredError,
  QueryRejectedError,
  type Client as Temporal,
  TerminatedFailure,
  WorkflowClient,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { messageOf } from '../../core/errors.js';
import { describeEndedEntity, waitWords } from '../../core/infra/claims.js';
import { isOutage } from '../../core/infra/outage.js';
import { infraWorkflowId } from '../../core/names.js';
import { readCarriedResult } from '../../core/operation/carried-result.js';
import {
  type Cell,
  describeAgain,
  type Failure,
  type OperationResult,
  type Progress,
  type Waiter,
} from '../../core/operation/operation.js';
import { ProgressCopy } from '../../core/operation/progress-copy.js';
import { isKept } from '../../stores/is-kept.js';
import type { cluster } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { describeRun, type RawDescription, type RunDescription } from '../temporal/describe-run.js';
import { ExpiringMap } from '../temporal/expiring-map.js';
import { translateFault } from '../temporal/fault.js';
import { checkResultKind, explainWrongKind } from '../temporal/right-kind.js';
import { shareReads } from '../temporal/shared-reads.js';
import { waitUntil } from '../temporal/wait-until.js';
import { waitsForWorkerSince } from '../temporal/waits-for-worker.js';
import { type Beat, beatReader } from './beats.js';
import { keepEnd, readEnd } from './ended.js';
import { isNeverBegun, neverBegun } from './never-begun.js';

/**
 * Time for which an operation is not queried again while nothing happens, in milliseconds. Only a query shows that no
 * worker runs.
 */
const GOOD_FOR_MS = 5_000;

/**
 * Returns the state of an operation, even of an ended one.
 *
 * @param isForgotten whether Temporal has just reported it as unknown: then only the store is read, if it has the end
 * @throws inputError `unknown-operation`
 */
export const readProgress = async (engine: Engine, operation: string, isForgotten = false): Promise<Progress> =>
  (isForgotten && (await readEnd(engine, operation))) || readByKeptReader(engine, operation);

/** Readers that are kept, at most: each has the progress of its operation. */
const KEPT_READERS = 32;
/** Time for which a reader is kept, in milliseconds. */
const KEPT_READERS_MS = 30_000;

const keptReaders = new WeakMap<Temporal, ExpiringMap<() => Promise<Progress>>>();

/** Reads by the reader of the calls before: an operation that is asked often, and has not changed, is not queried. */
function readByKeptReader(engine: Engine, operation: string): Promise<Progress> {
  const { temporal } = engine;
  const readers = keptReaders.get(temporal) ?? new ExpiringMap({ most: KEPT_READERS, keptMs: KEPT_READERS_MS });
  keptReaders.set(temporal, readers);
  return shareReads(temporal).read(`${operation} progress`, () => {
    const read = readers.get(operation) ?? progressReader(engine, operation);
    readers.keep(operation, read);
    return read();
  });
}

/**
 * Creates a function that reads the state of an operation repeatedly. The answer follows from the history. If the
 * history has not grown, only Temporal is queried, for reports of activities, and not the operation. The query asks
 * only for unknown parts; an unchanged part is the same object in the next answer.
 *
 * @returns as `readProgress`; it may be given a description of just now
 */
export function progressReader(engine: Engine, operation: string): (described?: RunDescription) => Promise<Progress> {
  const { temporal } = engine;
  const handle = temporal.workflow.getHandle<typeof cluster>(operation);
  const copy = new ProgressCopy();
  const readBeats = beatReader(temporal);
  let known: { at: string; since: number; progress: Progress } | undefined;
  let last: { of: Progress; waiting: string | undefined; beats: readonly Beat[]; progress: Progress } | undefined;
  return async (described) => {
    try {
      // First: an answer that is newer than what it is known by is asked for once too often, an older one never again.
      const run = described ?? (await describeRun(temporal, operation));
      const kept = run && !run.isRunning ? await readEnd(engine, operation, run.runId) : undefined;
      if (kept) return kept;
      const whole = run?.isRunning ? undefined : await handle.describe();
      if (whole && !isOpen(whole.status.name)) return await readEnded(whole);
      const { runId, historyLength, raw } = whole ?? (run as RunDescription);
      const at = `${runId} ${historyLength}`;
      const since = Date.now();
      if (known?.at !== at || since - known.since >= GOOD_FOR_MS)
        known = { at, since, progress: await orNeverBegun(copy.ask(handle, isUnknownQuery), () => handle.describe()) };
      const { progress } = known;
      const beats = await readBeats({ workflowId: operation, raw });
      const waiting = (await waitingNow(engine, progress, raw)) ?? waitWithoutCell(progress, beats);
      // The same object tells that nothing has changed.
      if (last?.of !== progress || last.waiting !== waiting || !isSameList(last.beats, beats)) {
        const shown = { ...progress, ...(waiting && { waiting }), cells: withBeats(progress.cells, beats) };
        last = { of: progress, waiting, beats, progress: shown };
      }
      return last.progress;
    } catch (error) {
      const forgotten = error instanceof WorkflowNotFoundError ? await readEnd(engine, operation) : undefined;
      if (forgotten) return forgotten;
      throw await explainWrongKind(temporal, error, operation, 'operation');
    }
  };

  /** One that was ended from outside has kept nothing: it is asked, which replays its history, and kept. */
  async function readEnded(description: WorkflowExecutionDescription): Promise<Progress> {
    const kept = await readEnd(engine, operation, description.runId);
    if (kept) return kept;
    const asked = await orNeverBegun(copy.askEnded(handle, isUnknownQuery), async () => description);
    const progress = markEnded(asked, description.status.name);
    await keepEnd(engine, { run: description.runId, ended: description.closeTime ?? new Date(), progress });
    return progress;
  }
}

/** Progress of an operation, or its last state if it ended before it could answer. */
const orNeverBegun = (asked: Promise<Progress>, describe: () => Promise<WorkflowExecutionDescription>): Promise<Progress> =>
  asked.catch(async (error: unknown) => {
    const progress = isNeverBegun(error) && neverBegun(error, await describe());
    if (progress) return progress;
    throw error;
  });

const isSameList = (before: readonly unknown[], now: readonly unknown[]): boolean =>
  before.length === now.length && before.every((item, index) => item === now[index]);

/** For what it waits that it does not know itself: whom the queue lets go first, or a worker. */
async function waitingNow(engine: Engine, progress: Progress, raw: RawDescription): Promise<string | undefined> {
  // It has not reached the queue.
  if (isOutage(progress.waiting)) return progress.waiting;
  if (progress.status === 'queued') return waitOf(engine, progress);
  const since = progress.status === 'running' ? waitsForWorkerSince(raw, Date.now()) : undefined;
  // A queue with a limit dispatches its work one by one.
  return since && `for a worker, or its turn at a limit, since ${since.toISOString()}`;
}

/** Waits for the end of an operation, or until the signal. @throws inputError `unknown-operation` */
export async function awaitOperationResult(engine: Engine, operation: string, signal?: AbortSignal): Promise<OperationResult> {
  try {
    const { temporal } = engine;
    await checkResultKind(temporal, operation, 'operation');
    return await waitUntil(temporal, signal, () => temporal.workflow.getHandle<typeof cluster>(operation).result());
  } catch (error) {
    const forgotten = error instanceof WorkflowNotFoundError ? await readEnd(engine, operation) : undefined;
    if (forgotten) return withoutCells(forgotten);
    if (!(error instanceof WorkflowFailedError)) throw translateFault(error, operation);
    const { cause } = error;
    const carried = readCarriedResult<OperationResult>(error);
    if (carried) return carried;
    const rest = withoutCells(await readProgress(engine, operation));
    if (cause instanceof CancelledFailure) return { ...rest, status: 'canceled' };
    if (cause instanceof TerminatedFailure) return rest;
    return { ...rest, status: 'failed', error: cutFault(operation, messageOf(cause ?? error)) };
  }
}

const withoutCells = ({ cells: _, waiting: __, question: ___, undoes: ____, ...result }: Progress): OperationResult => result;

/** Returns the reason why an operation in the queue waits. */
async function waitOf({ temporal, stores }: Engine, { operation, workspace, infra }: Progress): Promise<string> {
  // One that has ended would answer from the queue that it had.
  const open = new WorkflowClient({
    ...temporal.workflow.options,
    connection: temporal.connection,
    queryRejectCondition: 'NOT_OPEN',
  });
  try {
    const entity = open.getHandle(infraWorkflowId(workspace, infra));
    return waitWords(await entity.query<Waiter | undefined, [string]>('wait', operation));
  } catch (error) {
    if (error instanceof QueryRejectedError && ENDED_OUTSIDE.has(Number(error.status))) return describeEndedEntity(infra);
    // If Temporal has deleted the infra's entity, only the store knows it.
    const isGone = error instanceof WorkflowNotFoundError && (await isKept(stores.feeds, { workspace, infra }).catch(() => false));
    return isGone ? describeEndedEntity(infra) : waitWords(undefined);
  }
}

/** Of Temporal's API: failed, canceled, terminated, timed out. One that completed was deleted, and comes again with this operation. */
const ENDED_OUTSIDE: ReadonlySet<number> = new Set([3, 4, 5, 7]);

const placeOf = ({ server, taskserv = '' }: Beat) => `${server}/${taskserv}`;

/** Returns the reason of a retry or of a silence without a running cell, such as during the first look at a host. */
export function waitWithoutCell({ status, cells }: Pick<Progress, 'status' | 'cells'>, beats: readonly Beat[]): string | undefined {
  if (status !== 'running') return undefined;
  const shown = new Set(cells.flatMap((cell) => (cell.state === 'running' ? [`${cell.server}/${cell.taskserv ?? ''}`] : [])));
  const [first] = beats.filter((beat) => (beat.again || beat.silent) && !shown.has(placeOf(beat)));
  if (!first) return undefined;
  return [first.server, first.again ? describeAgain(first.again) : first.silent].filter(Boolean).join(': ');
}

/** Adds the reports of activities to the cells: there may be thousands of both. */
function withBeats(cells: Cell[], beats: Beat[]): Cell[] {
  const said = new Map([...beats].reverse().map((beat) => [placeOf(beat), beat]));
  return cells.map((cell) => {
    const beat = cell.state === 'running' ? said.get(placeOf(cell)) : undefined;
    if (!beat) return cell;
    const { step = cell.step, done = cell.done, total = cell.total, again } = beat;
    return { ...cell, step, done, total, ...(again && { again }) };
  });
}

const isUnknownQuery = (error: unknown) => error instanceof QueryNotRegisteredError;

/** How Temporal itself ends a workflow, which cannot say so any more. */
const CUT: Readonly<Record<string, string>> = {
  TERMINATED: 'it was terminated from outside',
  TIMED_OUT: 'its time at Temporal was up',
};

/** The error of an operation that was ended past the platform. */
const cutFault = (operation: string, why: string): Failure => ({
  step: 'Run the operation',
  on: operation,
  why,
  code: 'terminated',
  exitCode: 1,
});

/** Adds Temporal's end to the last report of an operation: a terminated workflow still reports that it runs. */
function markEnded<T extends Progress>(progress: T, how: string): T {
  const why = CUT[how];
  const stands = ['queued', 'running', 'waiting', 'paused'].includes(progress.status);
  if (!why || !stands) return progress;
  const { waiting: _, question: __, ...rest } = progress;
  return { ...(rest as T), status: 'failed', error: cutFault(progress.operation, why) };
}
