import * as z from 'zod';
import { method } from '../../method.js';
import { registeredWorkspace, workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { registerAs } from '../../workspaces/workspaces.js';

export const registerTheWorkspace = method({
  name: 'workspaces.register',
  summary: "Register a folder of the worker's machine as a workspace; a folder that was moved gets its new path",
  input: z.strictObject({
    ...workspaceInput,
    folder: z
      .string()
      .max(4_096)
      .regex(/^\//, 'use an absolute path')
      .describe('Absolute path of a folder with a provisioning.yaml'),
  }),
  output: registeredWorkspace.extend({ movedFrom: z.string().optional().describe('Former folder if it was moved') }),
  permission: { action: 'workspace:register', resource: workspaceResource },
  errors: ['bad-definition', 'not-a-workspace', 'workspace-folder-registered', 'workspace-name', 'workspace-name-taken'],
  run: ({ engine }, { workspace, folder }) => registerAs(engine, workspace, folder),
});
