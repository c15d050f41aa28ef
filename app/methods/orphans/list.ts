import * as z from 'zod';
import { askOrphans } from '../../infra/orphans.js';
import { method } from '../../method.js';
import { removalReport } from '../../schemas/clouds.js';
import { workspace } from '../../schemas/ids.js';

export const listOrphans = method({
  name: 'orphans.list',
  summary: 'List resources with our labels that belong to no infra',
  input: z.strictObject({ workspace }),
  output: removalReport,
  permission: { action: 'orphan:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) => askOrphans(engine, { workspace, actor }),
});
