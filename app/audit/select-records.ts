import { findIdentities } from '../../stores/audit/identities.js';
import type { AuditEvent } from '../../stores/rows/audit-events.js';
import type { AuditRow } from '../../stores/rows/audit-records.js';
import type { Rows } from '../../stores/rows.js';
import type { AuditFilter } from '../schemas/audit.js';
import { isOpen, readEntry } from './describe-records.js';

/** How records are selected. */
export interface Selection<Row> {
  /** Texts of indexed columns. */
  where: Record<string, string>;
  matches(row: Row): boolean | Promise<boolean>;
  /** The time of a row, in milliseconds since 1970. */
  timeOf(row: Row): number;
}

const columns = (given: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined));

const isWithin = (time: number, { since, until }: AuditFilter): boolean =>
  (since === undefined || time >= Date.parse(since)) && (until === undefined || time <= Date.parse(until));

const containsText = (resource: string | undefined, text: string | undefined): boolean =>
  text === undefined || (resource?.includes(text) ?? false);

/** Selects records of chains; undefined if none can match. */
export async function selectRecords(rows: Rows, filter: AuditFilter): Promise<Selection<AuditRow> | undefined> {
  const { actor, method, outcome, class: of } = filter;
  const ids = actor === undefined ? undefined : await findIdentities(rows, 'principal', actor);
  if (ids?.length === 0) return undefined;
  const who = ids?.length === 1 ? ids[0] : undefined;
  const timeOf = (row: AuditRow) => Date.parse(readEntry(row).at);
  return {
    where: columns({ who, method, class: of, outcome: outcome === 'unknown' ? 'asked' : outcome }),
    timeOf,
    async matches(row) {
      if (ids && !ids.includes(row.who ?? '')) return false;
      const entry = readEntry(row);
      if (!isWithin(Date.parse(entry.at), filter) || !containsText(entry.resource, filter.resource)) return false;
      return outcome !== 'unknown' || isOpen(rows, row);
    },
  };
}

/** Selects records of former versions; undefined if none can match. */
export function selectEvents({ actor, method, outcome, class: of, ...filter }: AuditFilter): Selection<AuditEvent> | undefined {
  if (of !== undefined || outcome === 'unknown' || outcome === 'read') return undefined;
  return {
    where: columns({ actor, method, outcome }),
    timeOf: ({ at }) => Date.parse(at),
    matches: ({ at, resource }) => isWithin(Date.parse(at), filter) && containsText(resource, filter.resource),
  };
}
