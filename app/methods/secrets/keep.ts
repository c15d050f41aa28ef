import * as z from 'zod';
import { checkRequest } from '../../../core/definition/weight.js';
import { LIMITS } from '../../../core/limits.js';
import { recipe } from '../../../core/schema/recipe.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { infraName, secretName, secretsResource } from '../../schemas/secret.js';
import { keepValues } from '../../secret/keep-values.js';

export const keepSecrets = method({
  name: 'secrets.keep',
  summary: 'Keep the values that a definition takes from beside it, and make those that it has generated',
  input: z.strictObject({
    workspace,
    infra: infraName,
    values: z.record(z.string(), z.string()).optional().describe('Values by the names of their references, `given/sops/…`'),
    generated: z
      .array(z.strictObject({ name: secretName, recipe }))
      .optional()
      .describe('Secrets to generate unless they exist'),
  }),
  output: z.strictObject({
    names: z.record(z.string(), z.string()).describe('Names of the kept values by the names of their references'),
  }),
  permission: { action: 'secret:set', resource: ({ workspace, infra }) => secretsResource({ workspace, infra }) },
  errors: ['secret-name', 'secret-scope'],
  // Values are not carried by steps of hosts: any may be long.
  weigh: (input) => checkRequest(input, 'take the request', 'secrets.keep', LIMITS.request + 1),
  run: async ({ engine, principal }, { workspace, infra, ...kept }) => ({
    names: await keepValues(engine, { workspace, infra }, kept, principal.actor),
  }),
});
