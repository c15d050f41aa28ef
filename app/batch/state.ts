import { WorkflowFailedError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import type { BatchMark, BatchRow, BatchState, BatchStatus } from '../../core/operation/batch.js';
import { MARK_OF } from '../../core/operation/batch.js';
import { rowsOf } from '../../core/operation/batch-rows.js';
import { readCarriedResult } from '../../core/operation/carried-result.js';
import type { batch } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { checkResultKind, explainWrongKind } from '../temporal/right-kind.js';
import { waitUntil } from '../temporal/wait-until.js';
import { cutShort } from './cut-batch.js';

/**
 * Time for which a batch is not queried again while nothing happens, in milliseconds. Only a query shows that no
 * worker runs.
 */
const GOOD_FOR_MS = 5_000;

/** Statuses of an ended batch. */
export const ENDED_STATUSES: readonly BatchStatus[] = ['done', 'failed', 'rolled-back', 'canceled', 'superseded'];

/** Returns the state of a batch, even of an ended one. @throws inputError `unknown-operation` */
export const readBatchState = (engine: Engine, id: string): Promise<BatchState> => batchReader(engine, id)();

/**
 * Creates a function that reads the state of a batch repeatedly. The state follows from the history: the batch itself
 * is queried only if its history has grown.
 *
 * @returns as `readBatchState`
 */
export function batchReader({ temporal }: Engine, id: string): () => Promise<BatchState> {
  const handle = temporal.workflow.getHandle<typeof batch>(id);
  let known: { at: string; since: number; state: BatchState } | undefined;
  return async () => {
    try {
      // The description comes first: if the batch has closed, its state is final.
      const { status, runId, historyLength } = await handle.describe();
      const at = `${runId} ${historyLength}`;
      const since = Date.now();
      if (known?.at !== at || since - known.since >= GOOD_FOR_MS)
        known = { at, since, state: await handle.query<BatchState>('batch') };
      const { state } = known;
      return isOpen(status.name) || ENDED_STATUSES.includes(state.status) ? state : await cutShort(temporal, state, status.name);
    } catch (error) {
      throw await explainWrongKind(temporal, error, id, 'batch');
    }
  };
}

/** Waits for the end of a batch, or until the signal. @throws inputError `unknown-operation` */
export async function awaitBatchResult(engine: Engine, id: string, signal?: AbortSignal): Promise<BatchState> {
  try {
    const { temporal } = engine;
    await checkResultKind(temporal, id, 'batch');
    return await waitUntil(temporal, signal, () => temporal.workflow.getHandle<typeof batch>(id).result());
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw translateFault(error, id, 'batch');
    return readCarriedResult<BatchState>(error) ?? readBatchState(engine, id);
  }
}

/** Returns some lines of a batch's record, in order: from an index on, filtered by mark, and whether there are more. */
export async function readBatchRows(
  engine: Engine,
  id: string,
  { from, limit, marks }: { from: number; limit: number; marks?: BatchMark[] },
): Promise<{ rows: BatchRow[]; more: boolean }> {
  const state = await readBatchState(engine, id);
  const found: number[] = [];
  for (let index = from; index < state.operations && found.length <= limit; index++) {
    if (!marks || marks.includes(MARK_OF[state.marks[index] as string] as BatchMark)) found.push(index);
  }
  const indices = found.slice(0, limit);
  const operations = (await Promise.all(state.pages.map(engine.batchPage))).flat();
  const rows = rowsOf(state, operations, indices);
  // The id of an operation is known before its start. An operation without any effect is never rolled back.
  const unsure = rows.flatMap(({ mark, operation, undo }) => [mark === 'done' ? [] : (operation ?? []), undo ?? []].flat());
  const known = await engine.existing(unsure).catch((error) => Promise.reject(translateFault(error, id)));
  return {
    rows: rows.map(({ operation, undo, ...row }) => ({
      ...row,
      ...(operation && (row.mark === 'done' || known.has(operation)) && { operation }),
      ...(undo && known.has(undo) && { undo }),
    })),
    more: found.length > limit,
  };
}
