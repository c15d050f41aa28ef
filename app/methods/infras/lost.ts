import * as z from 'zod';
import { findLostInfras } from '../../infra/lost.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { lostReport } from '../../schemas/recovery.js';

export const listLostInfras = method({
  name: 'infras.lost',
  summary: 'List infras that the engine has lost, but that the store or labels still have',
  input: z.strictObject({ workspace }),
  output: lostReport,
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) => findLostInfras(engine, workspace, actor),
});
