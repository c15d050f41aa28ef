import * as z from 'zod';
import { AUDIT_FAULTS } from '../../stores/audit/verify-chains.js';
import { AUDIT_CLASSES, AUDIT_DOORS, AUDIT_OUTCOMES } from '../../stores/rows/audit-records.js';
import { time } from './ids.js';

const text = z.string();
const name = z.string().max(1_000);
const at = z.iso.datetime({ offset: true });

/** A random id instead of a name. */
export const identityId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'the random id of a caller or an address, as `who` of a record')
  .describe('Random id instead of the name');
export const identityKind = z.enum(['principal', 'address']).describe('`principal` is a person or a service account');

/** `unknown`: the call has started, and its end is not recorded. */
export const auditOutcome = z.enum([...AUDIT_OUTCOMES, 'unknown']);

/** A record of a call, or of another event. */
export const auditRecord = z.strictObject({
  id: text.describe('The id of the record: its chain and its sequence'),
  call: text.describe('The id of the call, which is the same in both of its records'),
  at: time,
  class: z.enum(AUDIT_CLASSES).optional().describe('Absent in records of former versions'),
  actor: text.optional().describe('The caller; absent if it is not known, or the name was erased'),
  who: text.optional().describe('The id of the caller, which stays when the name is erased'),
  door: z.enum(AUDIT_DOORS).optional().describe('The way in'),
  address: text.optional().describe('The address that it came from'),
  method: text,
  action: text.optional().describe('Permission; absent if the call was refused before it was known'),
  resource: text.optional().describe('Type and id; absent like `action`'),
  decision: z.enum(['allowed', 'denied']).optional(),
  reason: text.optional().describe('By what right it was allowed (`owner`, `group`, `role`), or the error code of the refusal'),
  input: z
    .strictObject({
      fields: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).describe('Plain fields of the input'),
      rest: text.optional().describe('Salted SHA-256 of all other fields'),
    })
    .optional(),
  outcome: z
    .enum(AUDIT_OUTCOMES)
    .describe('`asked` before a call runs, `done` or `failed` after it; `refused` without a run; `read` for calls that only read'),
  isOpen: z
    .literal(true)
    .optional()
    .describe('In a record `asked` without a second record: the call runs, or its outcome is unknown'),
  code: text.optional().describe('Error code of a failed or refused call'),
  operation: text.optional(),
  count: z.int().min(1).optional().describe('Number of equal calls from `at` to `until`'),
  until: time.optional(),
  dropped: z
    .strictObject({ chain: text, through: z.int(), hash: text })
    .optional()
    .describe('The beginning of a chain that was deleted because its time is over'),
  chain: text.optional().describe('Absent like `class`'),
  sequence: z.int().min(1).optional().describe('Number within the chain'),
  previous: text.optional().describe('Hash of the record before'),
  hash: text.optional().describe('SHA-256 of `previous` and `bytes`, in base64url'),
  bytes: text.optional().describe('The bytes that were hashed'),
});
export type AuditRecord = z.output<typeof auditRecord>;

/** Criteria that select records. */
export const auditFilter = z.strictObject({
  actor: name.optional().describe('The caller'),
  method: name.optional(),
  resource: name.optional().describe('Text that the resource contains'),
  outcome: auditOutcome.optional(),
  class: z.enum(AUDIT_CLASSES).optional(),
  since: at.optional().describe('Earliest time'),
  until: at.optional().describe('Latest time'),
});
export type AuditFilter = z.output<typeof auditFilter>;

export const AUDIT_RESOURCE = { type: 'Audit', id: '*' } as const;

export const STORE_ERRORS = ['sealed-altered', 'store-failed', 'store-newer', 'store-unreachable'] as const;

/** Result of `audit.verify`. */
export const auditVerification = z.strictObject({
  records: z.int().describe('Number of records that were read'),
  chains: z.int(),
  withoutHead: z.int().describe('Chains whose end is in no file: those of other machines, or of a restored home'),
  heads: z.strictObject({ folder: text, unreadable: z.array(text) }).describe('Folder with the ends of chains'),
  problems: z.array(
    z.strictObject({
      fault: z.enum(AUDIT_FAULTS),
      writer: text,
      chain: text,
      sequence: z.int().describe('The first of these records'),
      through: z.int().describe('The last of them'),
      why: text,
    }),
  ),
  more: z.boolean().describe('Whether there are more problems than are listed'),
});
export type AuditVerification = z.output<typeof auditVerification>;
