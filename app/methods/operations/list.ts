import * as z from 'zod';
import { method } from '../../method.js';
import { operationsOf } from '../../operation/list.js';
import { limit, workspace } from '../../schemas/ids.js';
import { operationSummary } from '../../schemas/operation.js';

export const listOperations = method({
  name: 'operations.list',
  summary: 'List the newest operations, at most 50 unless `limit` is set; `checks` includes previews',
  input: z.strictObject({ workspace: workspace.optional(), infra: z.string().optional(), limit, checks: z.boolean().optional() }),
  output: z.array(operationSummary),
  permission: { action: 'operation:read', resource: ({ workspace = '*' }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine }, { limit = 50, ...filter }) => operationsOf(engine, filter, limit),
});
