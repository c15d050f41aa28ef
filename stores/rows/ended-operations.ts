import * as z from 'zod';
import { log } from './collection.js';

/** An operation at its end. Temporal deletes it later, and a query would replay its history. */
const endedOperation = z.strictObject({
  /** Id of the run that ended: an operation that was reset ends again in another one. */
  run: z.string(),
  operation: z.string(),
  workspace: z.string(),
  infra: z.string(),
  ended: z.iso.datetime(),
  /** Its progress at the end as packed JSON, in base64. */
  progress: z.string(),
});

export type EndedOperation = z.infer<typeof endedOperation>;

/** How operations ended, in the order of their ends. */
export const endedOperations = log({
  name: 'ended_operations',
  row: endedOperation,
  id: 'run',
  indexes: ['operation'],
  sealed: true,
  keep: 100_000,
});
