import * as z from 'zod';
import { readHeads } from '../../../stores/audit/heads.js';
import { verifyChains } from '../../../stores/audit/verify-chains.js';
import { auditRecords } from '../../../stores/rows/audit-records.js';
import { headsFolder } from '../../audit/heads-folder.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, auditVerification, STORE_ERRORS } from '../../schemas/audit.js';

export const verifyAudit = method({
  name: 'audit.verify',
  summary: 'Follow all chains of the audit, and report records that were changed or removed',
  input: z.strictObject({}),
  output: auditVerification,
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  rest: { verb: 'GET', path: '/audit/verification' },
  errors: STORE_ERRORS,
  async run({ engine }) {
    const rows = await openRows(engine.stores, 'verify the audit');
    const folder = await headsFolder(engine);
    // The heads are read first, since chains grow during the check.
    const { heads, unreadable } = await readHeads(folder);
    return { ...(await verifyChains(rows.log(auditRecords), heads)), heads: { folder, unreadable: [...unreadable] } };
  },
});
