import * as z from 'zod';
import { batchesOf } from '../../batch/list.js';
import { method } from '../../method.js';
import { batchSummary } from '../../schemas/batch.js';
import { limit, workspace } from '../../schemas/ids.js';

export const listBatches = method({
  name: 'batches.list',
  summary: 'List the newest batches, at most 50 unless `limit` is set',
  input: z.strictObject({ workspace: workspace.optional(), limit }),
  output: z.array(batchSummary),
  permission: { action: 'batch:read', resource: ({ workspace = '*' }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine }, { workspace, limit = 50 }) => batchesOf(engine, workspace, limit),
});
