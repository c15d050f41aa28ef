import * as z from 'zod';
import { table } from '../collection.js';

const infraEnvironment = z.strictObject({
  /** Empty: the one tenant of a home. */
  tenant: z.string(),
  workspace: z.string(),
  infra: z.string(),
  /** Environment of the last submitted definition; empty: it has none. */
  environment: z.string(),
  /** Of a row of a former release: the environment before. */
  former: z.string().optional(),
  /** Environments before, until a definition of the last submitted one is in force: submissions may fail or be refused. */
  others: z.array(z.string()).optional(),
  /** ISO time of the last submission; absent if only one environment counts. */
  at: z.string().optional(),
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
