import * as z from 'zod';
import { queryBatches } from '../../batch/list.js';
import { list, pageFields } from '../../lists/page.js';
import { batchSummary } from '../../schemas/batch.js';
import { workspace } from '../../schemas/ids.js';
import { limitToTenant } from '../../tenant/list-scope.js';

const FIRST = 50;

export const listBatches = list({
  name: 'batches.list',
  summary: 'List the newest batches, at most 50 unless `limit` is set',
  input: z.strictObject({
    workspace: workspace.optional(),
    ...pageFields,
    filter: z.strictObject({ actor: z.string().max(1_000).optional() }).optional(),
  }),
  item: batchSummary,
  pages: { key: 'batch', first: FIRST },
  permission: { action: 'batch:read', resource: ({ workspace = '*' }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal }, { limit = FIRST, ...asked }) =>
    queryBatches(engine, { ...asked, limit, where: limitToTenant(principal) }),
});
