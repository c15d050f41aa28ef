import * as z from 'zod';
import { table } from '../collection.js';

const resourceLock = z.strictObject({
  /** SHA-256 of the name of the resource, in base64url: the column stays readable in the database. */
  resource: z.string(),
  /** After this time the holder has died: another one may take it. */
  until: z.iso.datetime(),
});

/** Resources that are being changed: of several editors in all instances, one reads, compares and writes at a time. */
export const resourceLocks = table({
  name: 'resource_locks',
  row: resourceLock,
  key: ['resource'],
  indexes: [],
  sealed: false,
});
