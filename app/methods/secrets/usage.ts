import * as z from 'zod';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource, secretUse } from '../../schemas/secret.js';
import { chooseKeptSecret } from '../../secret/chosen-secret.js';
import { findSecretUses } from '../../secret/secret-use.js';

export const usageOfSecret = method({
  name: 'secrets.usage',
  summary: 'List the infras whose services use a secret, as they were last applied',
  input: z.strictObject(secretPlace),
  output: z.strictObject({ scope: scopeName, uses: z.array(secretUse) }),
  permission: { action: 'secret:read', resource: secretResource },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  async run(call, place) {
    const chosen = await chooseKeptSecret(call.engine, place);
    return { scope: chosen.scope, uses: await findSecretUses(call, place, chosen, chosen.kept) };
  },
});
