import * as z from 'zod';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';

export const publicKeyOfInfra = method({
  name: 'infras.publicKey',
  summary: 'Return the public SSH key of an infra, created on first use, for `authorized_keys` of existing machines',
  input: z.strictObject(infra),
  output: z.string(),
  permission: { action: 'infra:read-key', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: async ({ engine }, { workspace, infra }) => (await engine.stores.keys.infraKey({ workspace, infra })).public,
});
