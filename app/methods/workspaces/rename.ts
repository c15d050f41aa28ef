import * as z from 'zod';
import { method } from '../../method.js';
import { registeredWorkspace, workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { renameTo } from '../../workspaces/workspaces.js';

export const renameTheWorkspace = method({
  name: 'workspaces.rename',
  summary: 'Rename a registered workspace without infras and secrets; its folder keeps its name',
  input: z.strictObject({ ...workspaceInput, to: z.string().min(1).max(200).describe('New name') }),
  output: registeredWorkspace,
  permission: { action: 'workspace:rename', resource: workspaceResource },
  errors: ['unknown-workspace', 'workspace-in-use', 'workspace-name', 'workspace-name-taken'],
  run: ({ engine }, { workspace, to }) => renameTo(engine, workspace, to),
});
