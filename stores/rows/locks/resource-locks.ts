import * as z from 'zod';
import { table } from '../collection.js';

const resourceLock = z.strictObject({
  /** SHA-256 of the resource name, in base64url: the column stays readable in the database. */
  resource: z.string(),
  /** Time after which the holder counts as dead: another one may take the lock. */
  until: z.iso.datetime(),
});

/** Resources that are being changed. Only one editor in all instances reads, compares and writes at a time. */
export const resourceLocks = table({
  name: 'resource_locks',
  row: resourceLock,
  key: ['resource'],
  indexes: [],
  sealed: false,
});
