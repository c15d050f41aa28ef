import * as z from 'zod';
import { editableSecret } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { authorityStep, scopeName, secretPlace, secretResource } from '../../schemas/secret.js';
import { chooseKeptSecret } from '../../secret/chosen-secret.js';
import { findOpenStep } from '../../secret/open-step.js';
import { revealSecret } from '../../secret/reveal-secret.js';

export const getSecret = method({
  name: 'secrets.get',
  summary: 'Show that a secret is set, and its value only with `reveal`',
  input: z.strictObject({ ...secretPlace, reveal: z.literal(true).optional().describe('Return the value; the read is recorded') }),
  output: z.strictObject({ scope: scopeName, step: authorityStep, value: z.string().optional() }),
  permission: {
    actions: ['secret:read', 'secret:reveal'],
    action: ({ reveal }) => (reveal ? 'secret:reveal' : 'secret:read'),
    resource: secretResource,
  },
  rest: { verb: 'GET', path: '/workspaces/{workspace}/secrets/{name}' },
  errors: ['secret-name', 'secret-out-of-reach', 'secret-scope', 'unknown-secret'],
  reads: editableSecret,
  async run({ engine, principal }, { reveal, ...place }) {
    const chosen = await chooseKeptSecret(engine, place);
    const step = await findOpenStep(chosen);
    const found = { scope: chosen.scope, ...(step && { step }) };
    return reveal ? { ...found, value: await revealSecret(chosen, place.name, principal.actor) } : found;
  },
});
