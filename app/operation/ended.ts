import { messageOf } from '../../core/errors.js';
import type { Progress } from '../../core/operation/operation.js';
import { packJson, unpackJson } from '../../stores/packed.js';
import { type EndedOperation, endedOperations } from '../../stores/rows/ended-operations.js';
import type { Rows } from '../../stores/rows.js';
import type { RowStores } from '../open-rows.js';

/**
 * Maximum size of stored progress, in packed bytes. A larger operation is queried, as long as Temporal has its
 * history.
 */
const MOST_BYTES = 1024 * 1024;
/** Maximum number of runs that are searched for one operation: it has several if it was reset. */
const RUNS = 100;

/** How a run of an operation ended. */
export interface End {
  run: string;
  ended: Date;
  progress: Progress;
}

/** Stores the ends of operations, so that a later query neither replays their history nor needs it. */
export async function appendEnd(rows: Rows, { run, ended, progress }: End): Promise<void> {
  const packed = await packJson(progress);
  if (packed.length > MOST_BYTES) return;
  const { operation, workspace, infra } = progress;
  const row = { run, operation, workspace, infra, ended: ended.toISOString(), progress: packed.toString('base64') };
  await rows.log(endedOperations).append([row]);
}

/**
 * Stores an end like `appendEnd`, for a process that may have no rows. If the end cannot be stored, it is queried
 * again.
 */
export async function keepEnd({ stores }: { stores: RowStores }, end: End): Promise<void> {
  const rows = await stores.rows?.();
  if (rows) await appendEnd(rows, end).catch((error: unknown) => console.error(`an end was not kept: ${messageOf(error)}`));
}

/**
 * Returns the end of an operation.
 *
 * @param run the run that ended; absent: the last one
 * @returns undefined if its end was not stored, or this process has no rows
 */
export async function readEnd(engine: { stores: RowStores }, operation: string, run?: string): Promise<Progress | undefined> {
  const last = await findLast(engine, operation, run);
  return last && unpackJson<Progress>(Buffer.from(last.progress, 'base64'));
}

/** Returns the place of an ended operation without its progress, which is far larger. */
export const readPlaceOfEnded = (
  engine: { stores: RowStores },
  operation: string,
): Promise<Pick<EndedOperation, 'workspace' | 'infra'> | undefined> => findLast(engine, operation);

async function findLast({ stores }: { stores: RowStores }, operation: string, run?: string): Promise<EndedOperation | undefined> {
  const rows = await stores.rows?.();
  if (!rows) return undefined;
  const { rows: found } = await rows.log(endedOperations).list({ where: { operation }, limit: RUNS });
  return found.filter((one) => run === undefined || one.row.run === run).at(-1)?.row;
}
