import * as z from 'zod';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretReadEntry, secretResource } from '../../schemas/secret.js';
import { chooseKeptSecret, chooseSecret } from '../../secret/chosen-secret.js';

export const accessOfSecret = method({
  name: 'secrets.access',
  summary: 'List the operations and people that received a secret, newest first',
  input: z.strictObject(secretPlace),
  output: z.strictObject({ scope: scopeName, reads: z.array(secretReadEntry) }),
  permission: { action: 'secret:read', resource: secretResource },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  async run({ engine }, place) {
    const { secrets, kept, scope } = await chooseSecret(engine, place);
    const reads = (await secrets.reads(kept)).reverse();
    // The reads of a deleted secret stay. A name that was never set gets an error with the nearest one.
    if (reads.length === 0) await chooseKeptSecret(engine, place);
    return { scope, reads };
  },
});
