import * as z from 'zod';
import { editableWorkspace } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { registeredWorkspace, workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { unregisterWorkspace } from '../../workspaces/workspaces.js';

export const removeWorkspace = method({
  name: 'workspaces.remove',
  summary: 'Unregister a workspace; its folder, servers and secrets stay',
  input: z.strictObject(workspaceInput),
  output: registeredWorkspace.omit({ lastUsed: true }),
  permission: { action: 'workspace:remove', resource: workspaceResource },
  rest: { verb: 'DELETE', path: '/workspaces/{workspace}' },
  errors: ['unknown-workspace'],
  edits: editableWorkspace,
  run: ({ engine }, { workspace }) => unregisterWorkspace(engine, workspace),
});
