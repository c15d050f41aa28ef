import { AUDIT_CLASSES, type AuditClass, type AuditRow } from '../rows/audit-records.js';
import type { RowLog } from '../rows.js';
import type { AuditWriter } from './audit-writer.js';
import { type ChainEnd, parseEntry } from './chain.js';

const DAY_MS = 86_400_000;
const SEVEN_YEARS = 7 * 365 + 2;

/** Retention period of records by class, in days. */
export const RETENTION_DAYS: Readonly<Record<AuditClass, number>> = {
  reads: 30,
  changes: SEVEN_YEARS,
  access: SEVEN_YEARS,
  secrets: SEVEN_YEARS,
  'sign-ins': SEVEN_YEARS,
};

/** Before this time, in milliseconds since 1970, records of a class are deleted. */
export const cutOff = (of: AuditClass, now: number): number => now - RETENTION_DAYS[of] * DAY_MS;

type Log = Pick<RowLog<AuditRow>, 'inspect' | 'deleteThrough'>;

/**
 * Deletes expired records: beginnings of chains, since a chain has one class. First it records the new beginning of
 * each chain, so that the rest of the chain still verifies.
 *
 * @returns number of chains whose beginning was deleted
 */
export async function dropExpired(log: Log, writer: AuditWriter, now = Date.now()): Promise<number> {
  let count = 0;
  for (const of of AUDIT_CLASSES) {
    const ends = await findExpired(log, of, cutOff(of, now));
    for (const { chain, sequence: through, hash, row } of ends) {
      const entry = {
        at: new Date(now).toISOString(),
        class: 'changes' as const,
        call: `retention ${chain}`,
        door: 'platform' as const,
        method: 'retention',
        outcome: 'done' as const,
        dropped: { chain, through, hash },
      };
      await writer.append([{ entry }]);
      await log.deleteThrough({ chain }, row);
      count++;
    }
  }
  return count;
}

async function findExpired(log: Log, of: AuditClass, before: number): Promise<(ChainEnd & { row: number })[]> {
  const ends = new Map<string, ChainEnd & { row: number }>();
  for (let after: string | undefined, isOver = false; !isOver; ) {
    const { rows, next } = await log.inspect({ where: { class: of }, limit: 1_000, ...(after && { after }) });
    for (const { row, sequence } of rows) {
      const entry = row && parseEntry(row);
      // Rows that cannot be read stay, so that `audit verify` finds them. Rows behind a row that stays wait for the
      // next pass.
      if (!row || !entry || Date.parse(entry.until ?? entry.at) >= before) {
        isOver = true;
        break;
      }
      ends.set(row.chain, { chain: row.chain, sequence: entry.sequence, hash: row.hash, row: sequence });
    }
    if (next === undefined) break;
    after = next;
  }
  return [...ends.values()];
}
