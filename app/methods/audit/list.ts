import * as z from 'zod';
import { listRecords } from '../../audit/list-records.js';
import { decodeCursor, encodeCursor } from '../../lists/cursor.js';
import { list, pageFields } from '../../lists/page.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, auditFilter, auditRecord, STORE_ERRORS } from '../../schemas/audit.js';

const FIRST = 50;

const place = z.strictObject({ log: z.enum(['records', 'former']), sequence: z.int().min(0).optional() });

export const listAudit = list({
  name: 'audit.list',
  summary: 'List the newest records of the audit, at most 50 unless `limit` is set',
  input: z.strictObject({
    ...pageFields,
    filter: auditFilter.optional(),
    sort: z.enum(['ascending', 'descending']).optional().describe('Order of the records; descending is newest first'),
  }),
  item: auditRecord,
  pages: { key: 'id', first: FIRST },
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  errors: STORE_ERRORS,
  async run({ engine }, { after, limit = FIRST, filter = {}, sort = 'descending' }) {
    const scope = ['audit.list', filter, sort];
    const from = decodeCursor(scope, after, place);
    const rows = await openRows(engine.stores, 'list the recorded calls');
    const order = sort === 'descending' ? 'newest' : 'oldest';
    const { items, next } = await listRecords(rows, { filter, order, limit, after: from as never });
    return { items, ...(next && { next: encodeCursor(scope, next) }) };
  },
});
