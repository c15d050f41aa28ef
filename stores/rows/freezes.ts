import * as z from 'zod';
import { table } from './collection.js';

const at = z.iso.datetime();

const freeze = z.strictObject({
  /** Empty: the one tenant of a home. */
  tenant: z.string(),
  /** `*` for all workspaces. */
  workspace: z.string(),
  /** `*` for all infras of the workspace, `@prod` for those in an environment. */
  infra: z.string(),
  /** With a random part: a freeze that is made again is another one (app/limits/undo-freezes.ts). */
  id: z.string(),
  reason: z.string(),
  createdAt: at,
  createdBy: z.string(),
  /** It is over, and its operations are being resumed. */
  endedAt: at.optional(),
  endedBy: z.string().optional(),
});

export type Freeze = z.infer<typeof freeze>;

/** Places in which nothing may be changed. Rows are encrypted, so that writing into the database ends no freeze. */
export const freezes = table({
  name: 'freezes',
  row: freeze,
  key: ['tenant', 'workspace', 'infra'],
  indexes: [],
  sealed: true,
});
