import { addAbortListener } from 'node:events';
import * as z from 'zod';
import { auditRecords } from '../../stores/rows/audit-records.js';
import { findNewestNumber, rowsAfter } from '../../stores/rows/list-log.js';
import type { Rows } from '../../stores/rows.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import type { AuditFilter, AuditRecord } from '../schemas/audit.js';
import { describeRecords } from './describe-records.js';
import { listRecords } from './list-records.js';
import { selectRecords } from './select-records.js';

/** Interval of queries for new records, in milliseconds. */
const LOOK_MS = 1_000;
/** Number of records without a match after which a position is reported. */
const TELL_AFTER = 1_000;
/** Records of one query. */
const PAGE = 500;

const SCOPE = ['audit.follow'];

/** An event of `audit.follow`. */
export type FollowEvent = { type: 'position'; cursor: string } | { type: 'record'; cursor: string; record: AuditRecord };

/**
 * Yields new records as they are written, until the signal.
 *
 * @param after the cursor of an event; undefined: from now on
 * @throws inputError `bad-cursor`
 */
export async function* followRecords(
  rows: Rows,
  { filter, after, signal }: { filter: AuditFilter; after?: string | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<FollowEvent> {
  const log = rows.log(auditRecords);
  const cursor = (sequence: number) => encodeCursor(SCOPE, sequence);
  let seen = decodeCursor(SCOPE, after, z.int().min(0)) ?? (await findNewestNumber(log));
  yield { type: 'position', cursor: cursor(seen) };
  for (let told = 0; !signal?.aborted; ) {
    // A first-time caller has no identity yet.
    const selection = await selectRecords(rows, filter);
    const describe = describeRecords(rows);
    for await (const { row, sequence } of rowsAfter(log, seen)) {
      seen = sequence;
      if (signal?.aborted) return;
      if (selection && isSelected(row, selection.where) && (await selection.matches(row))) {
        yield { type: 'record', cursor: cursor(seen), record: await describe(row) };
        told = 0;
      } else if (++told >= TELL_AFTER) {
        yield { type: 'position', cursor: cursor(seen) };
        told = 0;
      }
    }
    await pause(signal);
  }
}

/** All records that there are, the oldest first. */
export async function* readRecords(
  rows: Rows,
  { filter, signal }: { filter: AuditFilter; signal?: AbortSignal | undefined },
): AsyncGenerator<AuditRecord> {
  let after: Awaited<ReturnType<typeof listRecords>>['next'];
  do {
    const page = await listRecords(rows, { filter, order: 'oldest', limit: PAGE, after });
    yield* page.items;
    after = page.next;
  } while (after !== undefined && !signal?.aborted);
}

const isSelected = (row: object, where: Readonly<Record<string, string>>): boolean =>
  Object.entries(where).every(([column, text]) => (row as Record<string, unknown>)[column] === text);

const pause = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      listening?.[Symbol.dispose]();
      resolve();
    };
    const timer = setTimeout(settle, LOOK_MS);
    const listening = signal && addAbortListener(signal, settle);
  });
