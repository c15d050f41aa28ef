import * as z from 'zod';
import type { Resource } from '../principal.js';
import { workspace } from './ids.js';

/** A workspace with its folder on the machine of the worker. */
export const registeredWorkspace = z.strictObject({
  name: z.string(),
  folder: z.string().describe("Absolute path on the worker's machine"),
  lastUsed: z.string().describe('ISO 8601, to the minute'),
});

export const workspaceInput = { workspace };
export const workspaceResource = ({ workspace }: { workspace: string }): Resource => ({ type: 'Workspace', id: workspace });
