import * as z from 'zod';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { listWorkspaces } from '../../workspaces/list-workspaces.js';

export const listTheWorkspaces = list({
  name: 'workspaces.list',
  summary: 'List the workspaces that have infras, with the number of their infras',
  input: z.strictObject(namedFields),
  item: z.strictObject({ name: z.string(), infras: z.int().describe('Number of infras') }),
  pages: {},
  permission: { action: 'workspace:read', resource: () => ({ type: 'Workspace', id: '*' }) },
  errors: [],
  run: async ({ engine, principal }, asked) =>
    pageByKey(['workspaces.list'], await listWorkspaces(engine, principal), { asked, keyOf: ({ name }) => name }),
});
