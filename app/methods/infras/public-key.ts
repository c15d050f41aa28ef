import * as z from 'zod';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';

export const publicKeyOfInfra = method({
  name: 'infras.publicKey',
  summary:
    'The public key that opens the hosts of an infra, made on first use: for `authorized_keys` of machines that exist already',
  input: z.strictObject(infra),
  output: z.string(),
  permission: { action: 'infra:read-key', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: async ({ engine }, { workspace, infra }) => (await engine.stores.keys.infraKey({ workspace, infra })).public,
});
