import * as z from 'zod';
import { editableWorkspace } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { registeredWorkspace, workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { showWorkspace } from '../../workspaces/workspaces.js';

export const getWorkspace = method({
  name: 'workspaces.get',
  summary: "Show a workspace with its infras and, if it is registered, its folder on the worker's machine",
  input: z.strictObject(workspaceInput),
  output: registeredWorkspace.partial({ folder: true, lastUsed: true }).extend({
    infras: z.array(z.string()),
    active: z.boolean().describe('Whether commands without a workspace option use this workspace'),
    trouble: z.strictObject({ why: z.string(), hint: z.string() }).optional().describe('Problem with its folder'),
  }),
  permission: { action: 'workspace:read', resource: workspaceResource },
  errors: ['unknown-workspace', 'workspace-name'],
  reads: editableWorkspace,
  run: ({ engine }, { workspace }) => showWorkspace(engine, workspace),
});
