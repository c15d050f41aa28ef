import * as z from 'zod';
import { recipe } from '../../../core/schema/recipe.js';
import { method } from '../../method.js';
import { secretPlace, secretResource, secretUse, secretValue } from '../../schemas/secret.js';
import { rotateSecret } from '../../secret/rotate-secret.js';

export const rotateTheSecret = method({
  name: 'secrets.rotate',
  summary: 'Give a secret a new value, and list the services that need it; nothing is applied to hosts',
  input: z.strictObject({
    ...secretPlace,
    value: secretValue.optional(),
    recipe: recipe.optional().describe('Recipe of the new value; default: the former one'),
    check: z.literal(true).optional().describe('Change nothing'),
  }),
  output: z.strictObject({
    version: z.int().optional().describe('Number of the new version; absent with `check`'),
    more: z.array(z.string()).describe('Certificates that get a new value with their authority'),
    uses: z.array(secretUse),
  }),
  permission: {
    actions: ['secret:read', 'secret:set'],
    action: ({ check }) => (check ? 'secret:read' : 'secret:set'),
    resource: secretResource,
  },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  run: (call, { value, recipe, check, ...place }) => rotateSecret(call, place, { value, recipe }, { check: check === true }),
});
