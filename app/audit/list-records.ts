import { auditEvents } from '../../stores/rows/audit-events.js';
import { auditRecords } from '../../stores/rows/audit-records.js';
import { listLog } from '../../stores/rows/list-log.js';
import type { RowLog, Rows } from '../../stores/rows.js';
import type { AuditFilter, AuditRecord } from '../schemas/audit.js';
import { describeEvent, describeRecords } from './describe-records.js';
import { type Selection, selectEvents, selectRecords } from './select-records.js';

/** Clocks of a team's workers differ by less. A record of counted calls has the time of the first one, a minute ago. */
const CLOCKS_MS = 3_600_000;

/** A position in a list: in the log of chains, or in the older log of former versions. */
export interface AuditPlace {
  log: 'records' | 'former';
  sequence?: number;
}

interface AuditQuery {
  filter: AuditFilter;
  order: 'newest' | 'oldest';
  limit: number;
  after?: AuditPlace | undefined;
}

/** A page of the audit, and the place behind it; absent at the end. */
export async function listRecords(
  rows: Rows,
  { filter, order, limit, after }: AuditQuery,
): Promise<{ items: AuditRecord[]; next?: AuditPlace }> {
  const logs = order === 'newest' ? (['records', 'former'] as const) : (['former', 'records'] as const);
  const from = after ?? { log: logs[0] };
  const items: AuditRecord[] = [];
  for (const name of logs.slice(logs.indexOf(from.log))) {
    const place = { filter, order, limit: limit - items.length, after: name === from.log ? from.sequence : undefined };
    const page = name === 'records' ? await pageOfRecords(rows, place) : await pageOfEvents(rows, place);
    items.push(...page.items);
    if (page.next !== undefined) return { items, next: { log: name, sequence: page.next } };
    if (items.length >= limit && name === logs[0]) return { items, next: { log: logs[1] } };
  }
  return { items };
}

type Place = Omit<AuditQuery, 'after'> & { after: number | undefined };

async function pageOfRecords(rows: Rows, place: Place) {
  const { rows: found, next } = await pageOf(rows.log(auditRecords), await selectRecords(rows, place.filter), place);
  return { items: await Promise.all(found.map(describeRecords(rows))), next };
}

async function pageOfEvents(rows: Rows, place: Place) {
  const { rows: found, next } = await pageOf(rows.log(auditEvents), selectEvents(place.filter), place);
  return { items: found.map(describeEvent), next };
}

async function pageOf<Row>(
  log: Pick<RowLog<Row>, 'list'>,
  selection: Selection<Row> | undefined,
  { filter: { since, until }, order, limit, after }: Place,
): Promise<{ rows: Row[]; next?: number }> {
  if (!selection) return { rows: [] };
  const { where, matches, timeOf } = selection;
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)));
  const ends = (row: Row) =>
    order === 'newest' ? from !== undefined && timeOf(row) < from - CLOCKS_MS : to !== undefined && timeOf(row) > to + CLOCKS_MS;
  return listLog(log, { order, limit, after, where, matches, ends });
}
