import * as z from 'zod';
import { table } from '../collection.js';

const infraEnvironment = z.strictObject({
  /** Empty: the one tenant of a home. */
  tenant: z.string(),
  workspace: z.string(),
  infra: z.string(),
  /** Environment of the last submitted definition; empty: it has none. */
  environment: z.string(),
  /** Environment before, until the next definition of the new one: the change may have been refused or rolled back. */
  former: z.string().optional(),
});

export type InfraEnvironment = z.infer<typeof infraEnvironment>;

/** Environments in which infras are. Rows are encrypted, so that writing into the database takes no infra out of a freeze. */
export const infraEnvironments = table({
  name: 'infra_environments',
  row: infraEnvironment,
  key: ['tenant', 'workspace', 'infra'],
  indexes: [],
  sealed: true,
});
