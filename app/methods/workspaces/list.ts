import * as z from 'zod';
import { method } from '../../method.js';
import { listWorkspaces } from '../../workspaces/list-workspaces.js';

export const listTheWorkspaces = method({
  name: 'workspaces.list',
  summary: 'List the workspaces that have infras, with the number of their infras',
  input: z.strictObject({}),
  output: z.array(z.strictObject({ name: z.string(), infras: z.int().describe('Number of infras') })),
  permission: { action: 'workspace:read', resource: () => ({ type: 'Workspace', id: '*' }) },
  errors: [],
  run: ({ engine }) => listWorkspaces(engine),
});
