import * as z from 'zod';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { infraName, secretName, secretsResource } from '../../schemas/secret.js';
import { findPairFaults } from '../../secret/check-pairs.js';

const part = z.union([z.strictObject({ name: secretName }), z.strictObject({ value: z.string() })]);

export const checkPairs = method({
  name: 'secrets.checkPairs',
  summary: 'Check that certificates and their keys belong together, without values in the answer',
  input: z.strictObject({
    workspace,
    infra: infraName,
    pairs: z.array(z.strictObject({ certificate: part, key: part })).describe('Names of secrets, or values only the caller has'),
  }),
  output: z.array(
    z.strictObject({
      pair: z.int().describe('Index of the pair'),
      part: z.enum(['certificate', 'key']),
      why: z.string(),
      hint: z.string().optional(),
    }),
  ),
  permission: { action: 'secret:read', resource: ({ workspace, infra }) => secretsResource({ workspace, infra }) },
  errors: ['secret-scope'],
  run: ({ engine }, { workspace, infra, pairs }) => findPairFaults(engine, { workspace, infra }, pairs),
});
