import * as z from 'zod';
import { infrasOf } from '../../infra/entity.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';

export const listInfras = method({
  name: 'infras.list',
  summary: 'List the infras of a workspace',
  input: z.strictObject({ workspace }),
  output: z.array(z.string()),
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine }, { workspace }) => infrasOf(engine, workspace),
});
