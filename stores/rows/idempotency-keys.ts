import * as z from 'zod';
import { table } from './collection.js';

const at = z.iso.datetime();

const idempotencyKey = z.strictObject({
  /** SHA-256 of tenant, principal and key. */
  id: z.string(),
  /** The UTC day on which it may be forgotten: `2026-11-30`. */
  day: z.string(),
  /** SHA-256 of the method and its input. */
  asked: z.string(),
  /** The call that works under it. */
  holder: z.string(),
  /** Time until which the call counts as running; absent once it was answered. */
  until: at.optional(),
  /** A call under it was cut, and another one went on. */
  cut: z.literal(true).optional(),
  expiresAt: at,
  /** JSON of the answer; absent for a call that answers nothing. */
  answer: z.string().optional(),
  /** The answer was too large to be stored. */
  tooLarge: z.literal(true).optional(),
});

export type IdempotencyKey = z.infer<typeof idempotencyKey>;

/** Keys of calls over HTTP, with their answers. Answers may contain data of infras, so rows are encrypted. */
export const idempotencyKeys = table({
  name: 'idempotency_keys',
  row: idempotencyKey,
  key: ['id'],
  indexes: ['day'],
  sealed: true,
});
