import * as z from 'zod';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource, secretValue } from '../../schemas/secret.js';
import { chooseSecret } from '../../secret/chosen-secret.js';

export const setSecret = method({
  name: 'secrets.set',
  summary: 'Set a secret; former values stay as versions',
  input: z.strictObject({ ...secretPlace, value: secretValue }),
  output: z.strictObject({ scope: scopeName }),
  permission: { action: 'secret:set', resource: secretResource },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  async run({ engine, principal }, { value, ...place }) {
    const { secrets, kept, scope } = await chooseSecret(engine, place);
    await secrets.set(kept, value, { by: principal.actor, how: 'secret set' });
    return { scope };
  },
});
