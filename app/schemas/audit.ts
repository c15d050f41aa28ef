import * as z from 'zod';
import type { AuditEvent } from '../../stores/rows/audit-events.js';
import { time } from './ids.js';
import { typeSchema } from './typed.js';

const text = z.string();

export const auditOutcome = z.enum(['asked', 'done', 'failed', 'refused']);

/** A record of a call. */
export const auditRecord = typeSchema<AuditEvent>()(
  z.strictObject({
    id: text.describe('The id of the record'),
    call: text.describe('The id of the call, which is the same in both of its records'),
    at: time,
    actor: text.describe('The caller'),
    method: text,
    action: text.optional().describe('Permission; absent if the call was refused before it was known'),
    resource: text.optional().describe('Type and id; absent like `action`'),
    outcome: auditOutcome.describe('`asked` before the call runs; without a second record the outcome is unknown'),
    code: text.optional().describe('Error code of a failed or refused call'),
  }),
);
