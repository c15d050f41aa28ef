import * as z from 'zod';
import { testEnvironment as request } from '../../core/schema/test-environment.js';
import { time } from './ids.js';

/** A test environment, as it is listed. */
export const testEnvironment = request.omit({ ending: true, ttlMs: true }).extend({
  created: time,
  expires: time.describe('When it is removed at the latest, ISO 8601'),
  ending: z.string().optional().describe('Why it is being removed'),
  failure: z.string().optional().describe('Why the last try to remove it failed'),
});
