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
  /** Of the step: what is run and written, with secrets by their names. */
  does: digest.optional(),
  /** Of the file that it takes the place of, with secrets by their names. */
  found: digest.optional(),
  /** Of the machine or network that is wanted. */
  wants: digest.optional(),
});

/** The plan that an operation is to carry out, and no other. */
export const planned = z.strictObject({
  hash: digest,
  /** What it consists of; absent where that is too much for a request: then nothing can say what has changed. */
  lines: z.array(planLine).optional(),
});
