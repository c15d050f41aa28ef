import * as z from 'zod';
import { table } from '../collection.js';

const listedOperation = z.strictObject({
  operation: z.string(),
  /** Id of the run that ended. */
  run: z.string(),
  /** Whether it is a preview: lists show previews only on request. */
  preview: z.enum(['yes', 'no']),
  /** Empty for the tenant of the home. */
  tenant: z.string(),
  workspace: z.string(),
  infra: z.string(),
  kind: z.string(),
  actor: z.string(),
  status: z.string(),
  /** When the first of its runs began. */
  started: z.iso.datetime(),
  ended: z.iso.datetime(),
});

export type ListedOperation = z.infer<typeof listedOperation>;

/** Ended operations as lists show them: the newest end of each. Temporal lists open operations. */
export const listedOperations = table({
  name: 'listed_operations',
  row: listedOperation,
  key: ['operation'],
  indexes: [],
  sorting: {
    by: 'ended',
    // If two lists have the same number of columns, the first one is read.
    within: [
      ['preview'],
      ['preview', 'infra'],
      ['preview', 'actor'],
      ['preview', 'kind'],
      ['preview', 'tenant'],
      ['preview', 'tenant', 'actor'],
      ['preview', 'tenant', 'kind'],
      ['preview', 'workspace'],
      ['preview', 'workspace', 'infra'],
      ['preview', 'workspace', 'actor'],
      ['preview', 'workspace', 'kind'],
    ],
  },
  sealed: true,
});
