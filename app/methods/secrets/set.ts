import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { editableSecret } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource, secretValue } from '../../schemas/secret.js';
import { checkNoShare, chooseSecret } from '../../secret/chosen-secret.js';

export const setSecret = method({
  name: 'secrets.set',
  summary: 'Set a secret; former values stay as versions',
  input: z.strictObject({ ...secretPlace, value: secretValue }),
  output: z.strictObject({ scope: scopeName }),
  permission: { action: 'secret:set', resource: secretResource },
  rest: { verb: 'PUT', path: '/workspaces/{workspace}/secrets/{name}' },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  edits: editableSecret,
  async run({ engine, principal }, { value, ...place }) {
    checkNoShare(place.name, 'set the secret');
    const { secrets, scope } = await chooseSecret(engine, place);
    if (scope === 'generated') {
      const why = 'its definition generates this secret: rotate it';
      throw inputError({ code: 'bad-request', what: 'set the secret', on: place.name, why });
    }
    await secrets.set(place.name, value, { by: principal.actor, how: 'secret set' });
    return { scope };
  },
});
