import * as z from 'zod';
import type { TestResult } from '../../core/environment/test-result.js';
import { testEnvironment as request } from '../../core/schema/test-environment.js';
import { time } from './ids.js';
import { typeSchema } from './typed.js';

/** A test environment in a list. */
export const testEnvironment = request.omit({ ending: true, ttlMs: true }).extend({
  created: time,
  expires: time.describe('Latest time of removal, ISO 8601'),
  ending: z.string().optional().describe('Reason for the removal'),
  failure: z.string().optional().describe('Reason why the last removal failed'),
});

/** Result of one check in a test environment. */
export const testResult = typeSchema<TestResult>()(
  z.strictObject({
    kind: z.enum(['install', 'health', 'unchanged', 'script']).describe('`unchanged`: a second run would change nothing'),
    name: z.string(),
    server: z.string(),
    status: z.enum(['passed', 'failed', 'error', 'skipped']).describe('`error`: the check was not possible'),
    seconds: z.number(),
    why: z.string().optional().describe('Reason if it did not pass'),
    exit: z.int().optional().describe('Exit code of a script'),
    output: z.string().optional().describe('Output of a script'),
  }),
);
