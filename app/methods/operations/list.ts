import * as z from 'zod';
import { list, pageFields } from '../../lists/page.js';
import { queryOperations } from '../../operation/list.js';
import { workspace } from '../../schemas/ids.js';
import { kind, operationSummary } from '../../schemas/operation.js';
import { limitToTenant } from '../../tenant/list-scope.js';

const FIRST = 50;

export const listOperations = list({
  name: 'operations.list',
  summary: 'List the newest operations, at most 50 unless `limit` is set; `checks` includes previews',
  input: z.strictObject({
    workspace: workspace.optional(),
    infra: z.string().optional(),
    ...pageFields,
    filter: z.strictObject({ kind: kind.optional(), actor: z.string().max(1_000).optional() }).optional(),
    checks: z.boolean().optional(),
  }),
  item: operationSummary,
  pages: { key: 'operation', first: FIRST },
  permission: { action: 'operation:read', resource: ({ workspace = '*' }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal }, { after, limit = FIRST, filter, ...asked }) =>
    queryOperations(engine, { ...asked, ...filter, tenant: principal.tenant, where: limitToTenant(principal) }, { after, limit }),
});
