import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource } from '../../schemas/secret.js';
import { checkWhole, chooseKeptSecret } from '../../secret/chosen-secret.js';

export const rollbackSecret = method({
  name: 'secrets.rollback',
  summary: 'Make the value of an earlier version the newest one',
  input: z.strictObject({ ...secretPlace, to: z.int().min(1).describe('Number of a stored version') }),
  output: z.strictObject({ scope: scopeName, version: z.int().describe('Number of the new version') }),
  permission: { action: 'secret:set', resource: secretResource },
  errors: ['secret-name', 'secret-scope', 'unknown-secret', 'unknown-version'],
  async run({ engine, principal }, { to, ...place }) {
    const { secrets, kept, scope } = await chooseKeptSecret(engine, place);
    checkWhole(place.name, kept, 'roll back the secret');
    const versions = await secrets.history(kept);
    const value = await secrets.version(kept, to);
    if (value === undefined) {
      const why = `version ${to} is not stored; stored versions: ${versions.map(({ version }) => version).join(', ')}`;
      throw inputError({ code: 'unknown-version', what: 'roll back the secret', on: place.name, why });
    }
    const recipe = versions.find(({ version }) => version === to)?.recipe;
    await secrets.set(kept, value, { by: principal.actor, how: `rolled back to ${to}`, ...(recipe && { recipe }) });
    const [newest] = await secrets.history(kept);
    return { scope, version: newest?.version ?? 1 };
  },
});
