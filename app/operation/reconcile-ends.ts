import { isDeepStrictEqual } from 'node:util';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isPreviewId } from '../../core/operation-id.js';
import { endedOperations } from '../../stores/rows/ended-operations.js';
import { type ListedOperation, listedOperations } from '../../stores/rows/projections/listed-operations.js';
import { type ProjectionMark, projectionMarks } from '../../stores/rows/projections/projection-marks.js';
import type { RevisedRow, Rows, RowTable } from '../../stores/rows.js';
import type { Engine } from '../engine.js';
import { attributeOf, LATEST_RUN_CONDITION, listWorkflows } from '../temporal/visibility.js';
import { findListTenant, OPERATIONS } from './ended-list.js';
import { operationsWhere, readFirstStarts, summarize } from './list.js';
import { readProgress } from './state.js';

/**
 * Duration for which one process has the exclusive right to write the projection, in milliseconds. It can renew the
 * right.
 */
const HOLD_MS = 5 * 60_000;
/**
 * Age up to which an ended operation may be missing in Temporal's lists, in milliseconds. Temporal lists it first, and
 * the store later.
 */
const SETTLE_MS = 60_000;
/** Period before the mark that is compared again, in milliseconds: Temporal's lists may have been late. */
const OVERLAP_MS = 10 * 60_000;
/** The same when a process begins, in milliseconds. */
const FIRST_OVERLAP_MS = 24 * 3_600_000;
/** The mark moves this far at least, in milliseconds, unless there is something to write. */
const IDLE_MS = 5 * 60_000;
/** Operations that one pass writes, about. */
const MOST = 5_000;
/** Operations that one statement writes. */
const AT_ONCE = 500;
/** Missing ends that one pass reads from history, each of which is replayed. */
const MOST_REPLAYED = 20;
/** Maximum number of operations whose missing end is read. Older ones are read on the first query. */
const MOST_WAITING = 10_000;
const BEGINNING = 0;

type Asked = Pick<Engine, 'temporal'>;

export interface ReconcileOptions {
  /** The process, for others that would do the same. */
  holder: string;
  /** In milliseconds since 1970. */
  now?: () => number;
  settleMs?: number;
  most?: number;
  /** Reads how an operation ended, and keeps it. */
  readEnd?: (operation: string) => Promise<unknown>;
}

export interface ReconcileOutcome {
  /** Operations that were written. */
  written: number;
  /** Ends that were read from history. */
  replayed: number;
  /** Whether everything that has ended, but for the last minute, is in the store. */
  complete: boolean;
}

/**
 * Aligns the store's list of ended operations with Temporal's. It also covers operations that were terminated or timed
 * out, that ended during an outage of the store or the worker, or that a former version ran. A mark shows the progress
 * of the comparison. Lists read the store up to the mark, and Temporal after it.
 *
 * @returns a pass. Undefined if another process does this. Each pass is bounded, and can be repeated
 */
export function createReconciler(
  engine: Engine,
  rows: Rows,
  options: ReconcileOptions,
): () => Promise<ReconcileOutcome | undefined> {
  const { holder, now = Date.now, settleMs = SETTLE_MS, most = MOST } = options;
  const { readEnd = (operation) => readProgress(engine, operation) } = options;
  const marks = rows.table(projectionMarks);
  const table = rows.table(listedOperations);
  /** Ended operations, by their run, whose end may not be kept. */
  const waiting = new Map<string, string>();
  let overlap = FIRST_OVERLAP_MS;

  return async () => {
    const mark = await hold();
    if (!mark) return undefined;
    const through = mark.row.through === undefined ? BEGINNING : Date.parse(mark.row.through);
    const last = now() - settleMs;
    const to = await findEnd(engine, { from: through, to: last, most });
    const written = to > through ? await write(Math.max(BEGINNING, through - overlap), to) : 0;
    if (written > 0 || to - through >= IDLE_MS) await marks.compareAndSet({ ...mark.row, through: textOf(to) }, mark.revision);
    overlap = OVERLAP_MS;
    return { written, replayed: await keepMissingEnds(), complete: to >= last };
  };

  /** The mark, if no other process holds it. */
  async function hold(): Promise<RevisedRow<ProjectionMark> | undefined> {
    const found = await marks.get({ projection: OPERATIONS });
    const left = found ? Date.parse(found.row.until) - now() : 0;
    if (found && left > 0 && found.row.holder !== holder) return undefined;
    if (found && left > HOLD_MS / 2 && found.row.holder === holder) return found;
    const row = { ...found?.row, projection: OPERATIONS, holder, until: textOf(now() + HOLD_MS) };
    const revision = await marks.compareAndSet(row, found?.revision);
    return revision === undefined ? undefined : { row, revision };
  }

  async function write(from: number, to: number): Promise<number> {
    const known = await readKnown(table, from, to);
    let written = 0;
    let infos: WorkflowExecutionInfo[] = [];
    const flush = async () => {
      const found = await rowsOf(engine, infos);
      const changed = found.filter((row) => !isDeepStrictEqual(known.get(row.operation), row));
      await table.putNewest(changed);
      for (const row of changed)
        if (now() - Date.parse(row.ended) < FIRST_OVERLAP_MS && waiting.size < MOST_WAITING) waiting.set(row.run, row.operation);
      written += changed.length;
      infos = [];
    };
    for await (const info of listWorkflows(engine.temporal, endedBetween(from, to), AT_ONCE))
      if (infos.push(info) === AT_ONCE) await flush();
    await flush();
    return written;
  }

  /** Reads how operations ended that could not report it, some at a time. */
  async function keepMissingEnds(): Promise<number> {
    let replayed = 0;
    for (const [run, operation] of waiting) {
      if (replayed === MOST_REPLAYED) break;
      const { rows: kept } = await rows.log(endedOperations).list({ where: { operation }, limit: 1_000 });
      waiting.delete(run);
      if (kept.some((one) => one.row.run === run)) continue;
      replayed++;
      // A later query reads the end again.
      await readEnd(operation).catch(() => {});
    }
    return replayed;
  }
}

/** Rows of the store whose end is in a time, by operation. */
async function readKnown(
  table: Pick<RowTable<ListedOperation, 'operation'>, 'listNewest'>,
  from: number,
  to: number,
): Promise<Map<string, ListedOperation>> {
  const known = new Map<string, ListedOperation>();
  for (const preview of ['no', 'yes']) {
    const range = { where: { preview }, from: textOf(from), below: textOf(to), limit: 1_000 };
    for (let after: [string, string] | undefined; ; ) {
      const { rows: page, more } = await table.listNewest({ ...range, after });
      for (const row of page) known.set(row.operation, row);
      const end = page.at(-1);
      if (!more || !end) break;
      after = [end.ended, end.operation];
    }
  }
  return known;
}

const textOf = (time: number): string => new Date(time).toISOString();

const endedBetween = (from: number, to: number): string =>
  [operationsWhere({ checks: true }), LATEST_RUN_CONDITION, `CloseTime >= '${textOf(from)}'`, `CloseTime < '${textOf(to)}'`].join(
    ' AND ',
  );

/** The end of a time in which not too many operations ended, in milliseconds since 1970: the time is halved until then. */
async function findEnd({ temporal }: Asked, { from, to, most }: { from: number; to: number; most: number }): Promise<number> {
  let end = to;
  while (end - from > 1) {
    const { count } = await temporal.workflow.count(endedBetween(from, end));
    if (count <= most) break;
    end = from + Math.ceil((end - from) / 2);
  }
  return end;
}

async function rowsOf(engine: Asked, infos: readonly WorkflowExecutionInfo[]): Promise<ListedOperation[]> {
  // If an operation has several ended runs, the newest counts. Temporal lists it first.
  const newest = new Map([...infos].reverse().map((info) => [info.workflowId, info]));
  const listed = [...newest.values()].map((info) => ({ info, summary: summarize(info) }));
  const begun = await readFirstStarts(
    engine,
    listed.map(({ summary }) => summary),
  );
  return listed.flatMap(({ info, summary: { operation, kind, infra, actor, status, started, ended } }) => {
    if (ended === undefined) return [];
    const workspace = attributeOf(info, 'workspace');
    return {
      operation,
      run: info.runId,
      preview: isPreviewId(operation) ? 'yes' : 'no',
      tenant: findListTenant(workspace),
      workspace,
      infra,
      kind,
      actor,
      status,
      started: begun.get(operation) ?? started,
      ended,
    };
  });
}
