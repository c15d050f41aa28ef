import * as z from 'zod';
import { text } from './request-fields.js';

/** SHA-256 in hex. */
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** One line of a plan as it is held to: what is shown of it, and digests of what is too long to be carried. */
export const planLine = z.strictObject({
  /** A server, or `network/NAME`. */
  on: text,
  taskserv: text.optional(),
  title: text,
  machine: z.enum(['create', 'adopt', 'update', 'replace', 'delete', 'release']).optional(),
  destructive: z.boolean().optional(),
  expected: z.boolean().optional(),
  /** It was wanted before already: a roll-back leaves it. */
  repair: z.literal(true).optional(),
  change: z.enum(['add', 'change', 'remove', 'restart', 'interrupt', 'check']).optional(),
  attributes: z.array(text).optional(),
  /** Digest of the step's commands and content, with secrets by name. */
  does: digest.optional(),
  /** Digest of the replaced file, with secrets by name. */
  found: digest.optional(),
  /** Digest of the wanted machine or network. */
  wants: digest.optional(),
});

/** The plan that an operation is to carry out, and no other. */
export const planned = z.strictObject({
  hash: digest,
  /** Its lines. Absent if they are too large for a request: then changes cannot be listed. */
  lines: z.array(planLine).optional(),
});
