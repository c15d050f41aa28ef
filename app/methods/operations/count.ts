import * as z from 'zod';
import { method } from '../../method.js';
import { countOperations as count } from '../../operation/count.js';
import { workspace } from '../../schemas/ids.js';
import { kind } from '../../schemas/operation.js';
import { limitToTenant } from '../../tenant/list-scope.js';

export const countOperations = method({
  name: 'operations.count',
  summary: 'Count the operations that `operations.list` lists; `checks` includes previews',
  input: z.strictObject({
    workspace: workspace.optional(),
    infra: z.string().optional(),
    filter: z.strictObject({ kind: kind.optional(), actor: z.string().max(1_000).optional() }).optional(),
    checks: z.boolean().optional(),
  }),
  output: z.strictObject({ count: z.int() }),
  permission: { action: 'operation:read', resource: ({ workspace = '*' }) => ({ type: 'Workspace', id: workspace }) },
  // `/operations/count` would be an operation.
  rest: { verb: 'GET', path: '/operation-count' },
  errors: [],
  run: async ({ engine, principal }, { filter, ...asked }) => ({
    count: await count(engine, { ...asked, ...filter, tenant: principal.tenant, where: limitToTenant(principal) }),
  }),
});
