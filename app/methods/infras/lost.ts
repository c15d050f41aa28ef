import * as z from 'zod';
import { lostInfras } from '../../infra/lost.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { lostReport } from '../../schemas/recovery.js';

export const listLostInfras = method({
  name: 'infras.lost',
  summary: 'The infras of a workspace that the engine does not know, and of which the store or labels have something',
  input: z.strictObject({ workspace }),
  output: lostReport,
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) => lostInfras(engine, workspace, actor),
});
