import * as z from 'zod';
import { recipe } from '../../../core/schema/recipe.js';
import { method } from '../../method.js';
import { authorityRotation, secretPlace, secretResource, secretUse, secretValue } from '../../schemas/secret.js';
import { rotateSecret } from '../../secret/rotate-secret.js';

export const rotateTheSecret = method({
  name: 'secrets.rotate',
  summary:
    'Give a secret a new value, and list the services that need it; nothing is applied to hosts. An authority is taken through one step of its rotation: apply each step to all that use it before the next one',
  input: z.strictObject({
    ...secretPlace,
    value: secretValue.optional(),
    recipe: recipe.optional().describe('Recipe of the new value; default: the former one'),
    step: z
      .enum(['next', 'at-once'])
      .optional()
      .describe(
        'For an authority: the step after the present one, or all in one, after which clients with the former authority fail. Default: the first step, or the present one again',
      ),
    check: z.literal(true).optional().describe('Change nothing'),
  }),
  output: z.strictObject({
    version: z.int().optional().describe('Number of the new version; absent with `check`'),
    rotation: authorityRotation.optional().describe('For an authority'),
    more: z.array(z.string()).describe('Certificates that get a new key and a new signature with their authority'),
    uses: z.array(secretUse),
  }),
  permission: {
    actions: ['secret:read', 'secret:set'],
    action: ({ check }) => (check ? 'secret:read' : 'secret:set'),
    resource: secretResource,
  },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  run: (call, { value, recipe, step, check, ...place }) =>
    rotateSecret(call, place, { value, recipe, step }, { check: check === true }),
});
