import * as z from 'zod';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource, secretVersion } from '../../schemas/secret.js';
import { chooseKeptSecret } from '../../secret/chosen-secret.js';

export const historyOfSecret = method({
  name: 'secrets.history',
  summary: 'List the stored versions of a secret, newest first, without values',
  input: z.strictObject(secretPlace),
  output: z.strictObject({ scope: scopeName, versions: z.array(secretVersion) }),
  permission: { action: 'secret:read', resource: secretResource },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  async run({ engine }, place) {
    const { secrets, kept, scope } = await chooseKeptSecret(engine, place);
    return { scope, versions: await secrets.history(kept) };
  },
});
