import { bugError } from '../../core/errors.js';
import { parseEntry } from '../../stores/audit/chain.js';
import { readNames } from '../../stores/audit/identities.js';
import type { AuditEvent } from '../../stores/rows/audit-events.js';
import { type AuditRow, auditRecords } from '../../stores/rows/audit-records.js';
import type { Rows } from '../../stores/rows.js';
import type { AuditRecord } from '../schemas/audit.js';

/** Reads the entry of a record, by which it is selected. @throws bugError `store-failed` for a row without an entry */
export function readEntry(row: AuditRow) {
  const entry = parseEntry(row);
  if (entry) return entry;
  const hint = 'provisioning audit verify';
  throw bugError({ code: 'store-failed', what: 'read a record of the audit', on: row.id, why: 'it has another format', hint });
}

/** Creates a function that converts rows to records: with known names, and with the outcomes of calls. */
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

/** Returns whether a call has a record of its start and none of its end. */
export async function isOpen(rows: Rows, { call, outcome }: AuditRow): Promise<boolean> {
  if (outcome !== 'asked') return false;
  const { rows: found } = await rows.log(auditRecords).list({ where: { call }, limit: 3 });
  return found.every(({ row }) => row.outcome === 'asked');
}

/** A record of a former version, which is in no chain. */
export const describeEvent = (event: AuditEvent): AuditRecord => event;
