import * as z from 'zod';
import { type AuditEvent, auditEvents } from '../../../stores/rows/audit-events.js';
import { listLog } from '../../../stores/rows/list-log.js';
import { decodeCursor, encodeCursor } from '../../lists/cursor.js';
import { list, pageFields } from '../../lists/page.js';
import { openRows } from '../../open-rows.js';
import { auditOutcome, auditRecord } from '../../schemas/audit.js';

const FIRST = 50;
/** Clocks of a team's workers differ by less. */
const CLOCKS_MS = 3_600_000;

const name = z.string().max(1_000);
const at = z.iso.datetime({ offset: true });

export const listAudit = list({
  name: 'audit.list',
  summary: 'List the newest records of calls that change something, at most 50 unless `limit` is set',
  input: z.strictObject({
    ...pageFields,
    filter: z
      .strictObject({
        actor: name.optional().describe('The caller'),
        method: name.optional(),
        resource: name.optional().describe('Text that the resource contains'),
        outcome: auditOutcome.optional(),
        since: at.optional().describe('Earliest time'),
        until: at.optional().describe('Latest time'),
      })
      .optional(),
    sort: z.enum(['ascending', 'descending']).optional().describe('Order of the records; descending is newest first'),
  }),
  item: auditRecord,
  pages: { key: 'id', first: FIRST },
  permission: { action: 'audit:read', resource: () => ({ type: 'Audit', id: '*' }) },
  errors: ['store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine }, { after, limit = FIRST, filter = {}, sort = 'descending' }) {
    const scope = ['audit.list', filter, sort];
    const { resource, since, until, ...columns } = filter;
    const where = Object.fromEntries(Object.entries(columns).filter(([, text]) => text !== undefined));
    const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)));
    const timeOf = (record: AuditEvent) => Date.parse(record.at);
    const log = (await openRows(engine.stores, 'list the recorded calls')).log(auditEvents);
    const { rows, next } = await listLog(log, {
      order: sort === 'descending' ? 'newest' : 'oldest',
      limit,
      after: decodeCursor(scope, after, z.int().min(0)),
      where,
      matches: (record) =>
        (resource === undefined || (record.resource?.includes(resource) ?? false)) &&
        (from === undefined || timeOf(record) >= from) &&
        (to === undefined || timeOf(record) <= to),
      ends: (record) =>
        sort === 'descending'
          ? from !== undefined && timeOf(record) < from - CLOCKS_MS
          : to !== undefined && timeOf(record) > to + CLOCKS_MS,
    });
    return { items: rows, ...(next !== undefined && { next: encodeCursor(scope, next) }) };
  },
});
