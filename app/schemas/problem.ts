import * as z from 'zod';
import type { Problem } from '../../definition/source/problem.js';
import { typeSchema } from './typed.js';

const text = z.string();

/** One problem of a definition, and its place. */
export const problem = typeSchema<Problem>()(
  z.strictObject({
    file: text,
    line: z.int().describe('Counted from 1'),
    column: z.int().describe('Counted from 1'),
    path: text.describe('Such as `servers[1].plan`; empty for the whole file'),
    message: text,
    suggestion: text.optional(),
    code: text.optional().describe('Code of the error, unless it is `bad-definition`'),
  }),
);
