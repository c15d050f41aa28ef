import { type AuditClass, type AuditRow, MOST_RECORD_BYTES } from '../rows/audit-records.js';
import { groupWrites } from '../rows/grouped.js';
import type { RowLog } from '../rows.js';
import { type ChainEnd, chainRow, createWriterName, hashBeginning, type NewRecord, nameChain } from './chain.js';

/** Records of one commit. */
const MOST = 500;

/** Appends records to the chains of one process. */
export interface AuditWriter {
  /** Returns once the records are on disk. Throws the errors of the store; then none of these records counts as written. */
  append(records: readonly NewRecord[]): Promise<void>;
}

/**
 * Creates a writer with its own chains. Records that arrive within 5 ms, or during a commit, share one commit of at
 * most 500 records. Nothing is dropped: every append waits for its commit.
 *
 * @param log opened at the first append
 * @param onEnds receives the present ends of chains after each write
 */
export function createAuditWriter(
  log: () => Promise<Pick<RowLog<AuditRow>, 'appendNow'>>,
  onEnds: (ends: readonly ChainEnd[]) => void = () => {},
): AuditWriter {
  let writer = createWriterName();
  let ends = new Map<AuditClass, ChainEnd>();

  async function write(records: readonly NewRecord[]): Promise<void> {
    const { appendNow } = await log();
    const next = new Map(ends);
    const rows = records.map((record) => {
      const of = record.entry.class;
      const row = chainRow(next.get(of) ?? firstEnd(writer, of), record);
      next.set(of, { chain: row.chain, sequence: (next.get(of)?.sequence ?? 0) + 1, hash: row.hash });
      return row;
    });
    try {
      await appendNow(rows);
    } catch (error) {
      // They may have been written: a record with the same number would be left out as a repeated one. So chains end here.
      writer = createWriterName();
      ends = new Map();
      throw error;
    }
    onEnds([...next].flatMap(([of, end]) => (ends.get(of) === end ? [] : [end])));
    ends = next;
  }

  const append = groupWrites<NewRecord>(write, MOST);
  return {
    async append(records) {
      // A record that is too large fails separately, and not with the records of other calls.
      for (const record of records) if (mayBeTooLarge(record)) chainRow(firstEnd(writer, record.entry.class), record);
      for (let from = 0; from < records.length; from += MOST) await append(records.slice(from, from + MOST));
    },
  };
}

/**
 * Whether a record may be too large. Most records are far smaller, so that this check avoids a second hash: a
 * character has at most three bytes.
 */
const mayBeTooLarge = ({ entry }: NewRecord): boolean => (JSON.stringify(entry).length + 300) * 3 > MOST_RECORD_BYTES;

function firstEnd(writer: string, of: AuditClass): ChainEnd {
  const chain = nameChain(writer, of);
  return { chain, sequence: 0, hash: hashBeginning(chain) };
}
