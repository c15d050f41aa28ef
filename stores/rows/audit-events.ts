import * as z from 'zod';
import { log } from './collection.js';

/** Record of a call: caller, method and outcome. Never its input. */
const auditEvent = z.strictObject({
  /** `CALL/asked`, `CALL/ended`: one call has two events, a refused call one. */
  id: z.string(),
  call: z.string(),
  at: z.iso.datetime(),
  /** The caller: `user@host`. */
  actor: z.string(),
  /** `operations.submit`. */
  method: z.string(),
  /** `operation:submit`; absent if the call was refused before this was known. */
  action: z.string().optional(),
  /** `Infra default/shop`; absent like `action`. */
  resource: z.string().optional(),
  /** An `asked` without `done` or `failed`: the outcome is unknown. */
  outcome: z.enum(['asked', 'done', 'failed', 'refused']),
  /** The error code of a failed or refused call. */
  code: z.string().optional(),
});

export type AuditEvent = z.infer<typeof auditEvent>;

/** Calls that changed something, as former versions recorded them: nothing is added since there are `auditRecords`. */
export const auditEvents = log({
  name: 'audit_events',
  row: auditEvent,
  id: 'id',
  indexes: ['call', 'actor', 'method', 'outcome'],
  sealed: true,
  keep: 100_000,
  // Every caller can cause refused calls, as often as a quota allows.
  apart: { column: 'outcome', text: 'refused', keep: 20_000 },
});
