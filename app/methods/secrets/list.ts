import * as z from 'zod';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { listedSecret } from '../../schemas/secret.js';
import { listSecrets } from '../../secret/chosen-secret.js';

export const listTheSecrets = method({
  name: 'secrets.list',
  summary: 'List secret names and scopes of a workspace, without values',
  input: z.strictObject({ workspace }),
  output: z.array(listedSecret),
  permission: { action: 'secret:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: ['secret-scope'],
  run: ({ engine }, { workspace }) => listSecrets(engine, workspace),
});
