import * as z from 'zod';
import { table } from './collection.js';

const workspaceImport = z.strictObject({
  workspace: z.string(),
  /** Id of the export that it came from. */
  export: z.string(),
  /** `begun`: the import is incomplete, and no other import of the workspace may begin. */
  state: z.enum(['begun', 'done']),
  at: z.iso.datetime(),
  by: z.string(),
});

export type WorkspaceImport = z.infer<typeof workspaceImport>;

/** Which export each imported workspace came from: an import that was cut is continued, and a repeated one changes nothing. */
export const workspaceImports = table({
  name: 'workspace_imports',
  row: workspaceImport,
  key: ['workspace'],
  indexes: [],
  sealed: true,
});
