import * as z from 'zod';
import { editableSecret } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource } from '../../schemas/secret.js';
import { checkWhole, chooseKeptSecret } from '../../secret/chosen-secret.js';

export const deleteSecret = method({
  name: 'secrets.delete',
  summary: 'Delete all versions of a secret',
  input: z.strictObject(secretPlace),
  output: z.strictObject({ scope: scopeName }),
  permission: { action: 'secret:delete', resource: secretResource },
  rest: { verb: 'DELETE', path: '/workspaces/{workspace}/secrets/{name}' },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  edits: editableSecret,
  async run({ engine }, place) {
    const { secrets, kept, scope } = await chooseKeptSecret(engine, place);
    checkWhole(place.name, kept, 'delete the secret');
    await secrets.delete(kept);
    return { scope };
  },
});
