import type { RowLog } from '../rows.js';
import { encodePosition } from './page.js';

/** Rows that are read for one page, at most: each is decrypted. */
const MOST_READ = 10_000;
/** Rows of one query, at most. */
const QUERY = 1_000;
/** Sequence numbers that are read at a time, at most. */
const SPAN = 4_096;

interface Numbered<Row> {
  row: Row;
  sequence: number;
}

type Readable<Row> = Pick<RowLog<Row>, 'list'>;
type Where = Readonly<Record<string, string>>;

interface LogQuery<Row> {
  order: 'newest' | 'oldest';
  /** Number of rows. */
  limit: number;
  /** The `next` of the page before; absent: from the beginning. */
  after?: number | undefined;
  /** Texts of indexed columns that rows must have. */
  where?: Where;
  /** Whether a row belongs to the answer. */
  matches?(row: Row): boolean | Promise<boolean>;
  /** Whether neither this row nor one behind it can belong to the answer. */
  ends?(row: Row): boolean;
}

/**
 * Returns a page of a log from its newest or its oldest row on. If matching rows are rare, the page has fewer rows
 * than its limit, and a `next`. A row is on exactly one page, and rows that are appended later move none.
 */
export async function listLog<Row>(
  log: Readable<Row>,
  { order, limit, after, where = {}, matches = () => true, ends = () => false }: LogQuery<Row>,
): Promise<{ rows: Row[]; next?: number }> {
  const rows: Row[] = [];
  if (limit === 0) return { rows };
  let last = 0;
  let read = 0;
  for await (const { row, sequence } of order === 'newest' ? readBack(log, where, after) : readOn(log, where, after)) {
    if (ends(row)) return { rows };
    if (await matches(row)) {
      if (rows.length === limit) return { rows, next: last };
      rows.push(row);
    }
    last = sequence;
    if (++read === MOST_READ) return { rows, next: last };
  }
  return { rows };
}

async function* readOn<Row>(log: Readable<Row>, where: Where, after = 0): AsyncGenerator<Numbered<Row>> {
  for (let cursor: string | undefined = encodePosition([String(after)]); cursor !== undefined; ) {
    const { rows, next }: { rows: Numbered<Row>[]; next?: string } = await log.list({ after: cursor, limit: QUERY, where });
    yield* rows;
    cursor = next;
  }
}

/** Reads spans of a log from the newest to the oldest, since a log is listed only in its own order. */
async function* readBack<Row>(log: Readable<Row>, where: Where, before?: number): AsyncGenerator<Numbered<Row>> {
  const [oldest] = (await log.list({ limit: 1, where })).rows;
  if (!oldest) return;
  let end = before ?? (await findNewest(log, where, oldest.sequence)) + 1;
  for (let span = 128; end > oldest.sequence; span = Math.min(span * 2, SPAN)) {
    const begin = Math.max(oldest.sequence, end - span);
    const part: Numbered<Row>[] = [];
    for await (const one of readOn(log, where, begin - 1)) {
      if (one.sequence >= end) break;
      part.push(one);
    }
    yield* part.reverse();
    // Rows in between may have been deleted, any number of them.
    end = part.length > 0 ? begin : (await findNewestBefore(log, where, oldest.sequence, begin)) + 1;
  }
}

/** Finds the number of the newest row before another, by bisection. @param known the number of an existing row */
async function findNewestBefore<Row>(log: Readable<Row>, where: Where, known: number, before: number): Promise<number> {
  let newest = known;
  for (let end = before; newest + 1 < end; ) {
    const middle = Math.floor((newest + end) / 2);
    const [found] = (await log.list({ after: encodePosition([String(middle - 1)]), limit: 1, where })).rows;
    if (found && found.sequence < before) newest = found.sequence;
    else end = middle;
  }
  return newest;
}

/** Returns the number of a log's newest row; 0 for an empty log. */
export async function findNewestNumber<Row>(log: Readable<Row>): Promise<number> {
  const [oldest] = (await log.list({ limit: 1 })).rows;
  return oldest ? findNewest(log, {}, oldest.sequence) : 0;
}

/** The rows behind a number, in their order. */
export const rowsAfter = <Row>(log: Readable<Row>, sequence: number): AsyncGenerator<Numbered<Row>> => readOn(log, {}, sequence);

/** Finds the number of the newest row, by bisection. @param known the number of an existing row */
async function findNewest<Row>(log: Readable<Row>, where: Where, known: number): Promise<number> {
  const nextAfter = async (sequence: number) =>
    (await log.list({ after: encodePosition([String(sequence)]), limit: 1, where })).rows[0]?.sequence;
  let newest = known;
  let step = QUERY;
  for (let found = await nextAfter(newest + step); found !== undefined; found = await nextAfter(newest + step)) {
    newest = found;
    step *= 2;
  }
  for (let end = newest + step; newest < end; ) {
    const middle = Math.floor((newest + end) / 2);
    const found = await nextAfter(middle);
    if (found === undefined) end = middle;
    else newest = found;
  }
  return newest;
}
