import * as z from 'zod';
import { log, table } from './collection.js';

/** Subjects of records. Each class has its own retention period, and therefore its own chains. */
export const AUDIT_CLASSES = ['reads', 'changes', 'access', 'secrets', 'sign-ins'] as const;
export type AuditClass = (typeof AUDIT_CLASSES)[number];

export const AUDIT_OUTCOMES = ['asked', 'done', 'failed', 'refused', 'read'] as const;

/** The ways in. */
export const AUDIT_DOORS = ['socket', 'shared socket', 'https', 'direct', 'platform'] as const;
export type AuditDoor = (typeof AUDIT_DOORS)[number];

/** Bytes of a record, at most. */
export const MOST_RECORD_BYTES = 16 * 1024;

const at = z.iso.datetime();
/** SHA-256 in base64url. */
const digest = z.string().length(43);

/** The content of a record. It names people by ids of `auditIdentities`. */
export const auditEntry = z.strictObject({
  v: z.literal(1),
  chain: z.string(),
  /** From 1, without a gap within the chain. */
  sequence: z.int().min(1),
  at,
  class: z.enum(AUDIT_CLASSES),
  /** One call has one or two records. */
  call: z.string(),
  who: z.string().optional(),
  door: z.enum(AUDIT_DOORS).optional(),
  from: z.string().optional(),
  /** `operations.submit`, or another event: `sign-in`. */
  method: z.string(),
  action: z.string().optional(),
  resource: z.string().optional(),
  decision: z.enum(['allowed', 'denied']).optional(),
  /** The right that allowed it, or the code of the refusal. */
  reason: z.string().optional(),
  input: z
    .strictObject({
      fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      /** SHA-256 of the row's salt and of all values that are not in `fields`, as canonical JSON. */
      rest: digest.optional(),
    })
    .optional(),
  outcome: z.enum(AUDIT_OUTCOMES),
  /** The error code of a failed or refused call. */
  code: z.string().optional(),
  operation: z.string().optional(),
  /** Number of equal calls from `at` to `until`, if they share one record. */
  count: z.int().min(1).optional(),
  until: at.optional(),
  /** The beginning of a chain that was deleted because its time is over: up to which record, and that record's hash. */
  dropped: z.strictObject({ chain: z.string(), through: z.int().min(1), hash: digest }).optional(),
});

export type AuditEntry = z.infer<typeof auditEntry>;

const auditRow = z.strictObject({
  /** The chain and the sequence. */
  id: z.string(),
  chain: z.string(),
  class: z.string(),
  call: z.string(),
  who: z.string().optional(),
  method: z.string(),
  outcome: z.string(),
  /** The bytes that were hashed: JSON of an `AuditEntry`. */
  text: z.string().max(MOST_RECORD_BYTES),
  previous: digest,
  hash: digest,
  /** Prevents guesses of the hashed input. No export contains it. */
  salt: z.string().optional(),
});

export type AuditRow = z.infer<typeof auditRow>;

/**
 * Records of all chains, in the order that they were written. They are deleted only by their age
 * (stores/audit/retention.ts).
 */
export const auditRecords = log({
  name: 'audit_records',
  row: auditRow,
  id: 'id',
  indexes: ['chain', 'class', 'call', 'who', 'method', 'outcome'],
  sealed: true,
  keep: Number.POSITIVE_INFINITY,
});

const auditIdentity = z.strictObject({
  /** Random. */
  id: z.string(),
  kind: z.enum(['principal', 'address']),
  name: z.string(),
  at,
});

export type AuditIdentity = z.infer<typeof auditIdentity>;

/** Names and addresses of audit records. Without its row a record has no name, and its chain still verifies. */
export const auditIdentities = table({
  name: 'audit_identities',
  row: auditIdentity,
  key: ['id'],
  indexes: ['name'],
  sealed: true,
});
