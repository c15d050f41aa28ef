import * as z from 'zod';
import { testEnvironment as request } from '../../core/schema/test-environment.js';
import { time } from './ids.js';

/** A test environment, as it is listed. */
export const testEnvironment = request.omit({ ending: true, ttlMs: true }).extend({
  created: time,
  expires: time.describe('Latest time of removal, ISO 8601'),
  ending: z.string().optional().describe('Reason for the removal'),
  failure: z.string().optional().describe('Reason why the last removal failed'),
});
