import { bugError } from '../../core/errors.js';
import { parseEntry } from '../../stores/audit/chain.js';
import { readNames } from '../../stores/audit/identities.js';
import type { AuditEvent } from '../../stores/rows/audit-events.js';
import { type AuditRow, auditRecords } from '../../stores/rows/audit-records.js';
import type { Rows } from '../../stores/rows.js';
import type { AuditRecord } from '../schemas/audit.js';

/** What is read of a record to select it. @throws bugError `store-failed` for a row without an entry */
export function readEntry(row: AuditRow) {
  const entry = parseEntry(row);
  if (entry) return entry;
  const hint = 'provisioning audit verify';
  throw bugError({ code: 'store-failed', what: 'read a record of the audit', on: row.id, why: 'it has another format', hint });
}

/** Makes records of rows: with the names that are known, and with what became of calls that were asked. */
export function describeRecords(rows: Rows): (row: AuditRow) => Promise<AuditRecord> {
  const nameOf = readNames(rows);
  return async (row) => {
    const { v: _, from, ...entry } = readEntry(row);
    const [actor, address] = await Promise.all([entry.who && nameOf(entry.who), from && nameOf(from)]);
    return {
      ...entry,
      id: row.id,
      ...(actor !== undefined && { actor }),
      ...(address !== undefined && { address }),
      ...((await isOpen(rows, row)) && { isOpen: true as const }),
      ...{ previous: row.previous, hash: row.hash, bytes: row.text },
    };
  };
}

/** Whether a call was asked and has not ended, as far as is recorded. */
export async function isOpen(rows: Rows, { call, outcome }: AuditRow): Promise<boolean> {
  if (outcome !== 'asked') return false;
  const { rows: found } = await rows.log(auditRecords).list({ where: { call }, limit: 3 });
  return found.every(({ row }) => row.outcome === 'asked');
}

/** A record of a former version, which is in no chain. */
export const describeEvent = (event: AuditEvent): AuditRecord => event;
