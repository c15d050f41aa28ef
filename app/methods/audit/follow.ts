import * as z from 'zod';
import { followRecords } from '../../audit/follow-records.js';
import { stream } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, auditFilter, auditRecord, STORE_ERRORS } from '../../schemas/audit.js';

const cursor = z.string().describe('Pass it as `after` to continue after this event');

export const followAudit = stream({
  name: 'audit.follow',
  summary: 'Stream the records of the audit as they are written, until the caller stops',
  input: z.strictObject({
    filter: auditFilter.optional(),
    after: z.string().min(1).max(1_000).optional().describe('The cursor of an event; if absent, only new records'),
  }),
  output: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('position'), cursor }),
    z.strictObject({ type: z.literal('record'), cursor, record: auditRecord }),
  ]),
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  errors: ['bad-cursor', ...STORE_ERRORS],
  async *run({ engine }, { filter = {}, after }, { signal }) {
    const rows = await openRows(engine.stores, 'follow the audit');
    yield* followRecords(rows, { filter, after, signal });
  },
});
