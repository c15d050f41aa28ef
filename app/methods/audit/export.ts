import * as z from 'zod';
import { readRecords } from '../../audit/follow-records.js';
import { stream } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, auditFilter, auditRecord, STORE_ERRORS } from '../../schemas/audit.js';

export const exportAudit = stream({
  name: 'audit.export',
  summary: 'Stream all records of the audit, the oldest first, to their end',
  input: z.strictObject({ filter: auditFilter.optional() }),
  output: auditRecord,
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  errors: STORE_ERRORS,
  async *run({ engine }, { filter = {} }, { signal }) {
    yield* readRecords(await openRows(engine.stores, 'export the audit'), { filter, signal });
  },
});
