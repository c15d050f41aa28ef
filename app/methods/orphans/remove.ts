import * as z from 'zod';
import { askOrphans } from '../../infra/orphans.js';
import { method } from '../../method.js';
import { orphanRow, removalReport } from '../../schemas/clouds.js';
import { workspace } from '../../schemas/ids.js';

export const removeOrphans = method({
  name: 'orphans.remove',
  summary: 'Remove the given orphans if they are still orphans; a failed removal is reported, and the others continue',
  input: z.strictObject({ workspace, remove: z.array(orphanRow).describe('Orphans as `orphans.list` returns them') }),
  output: removalReport,
  permission: { action: 'orphan:remove', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace, remove }) => askOrphans(engine, { workspace, actor, remove }),
});
