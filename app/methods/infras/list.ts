import * as z from 'zod';
import { infrasOf } from '../../infra/entity.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';

export const listInfras = method({
  name: 'infras.list',
  summary: 'The names of the infras of a workspace that exist',
  input: z.strictObject({ workspace }),
  output: z.array(z.string()),
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine }, { workspace }) => infrasOf(engine, workspace),
});
