import * as z from 'zod';
import { method } from '../../method.js';
import { scopeName, secretScope, secretsResource, secretValue } from '../../schemas/secret.js';
import { importSecrets } from '../../secret/import-secrets.js';

export const importTheSecrets = method({
  name: 'secrets.import',
  summary: 'Set several secrets after all of them were checked; equal values are left alone',
  input: z.strictObject({
    ...secretScope,
    values: z.record(z.string(), secretValue).describe('Values by name'),
    check: z.literal(true).optional().describe('Change nothing'),
    source: z.literal('environment').optional().describe('Origin of the values, if it is not a file'),
  }),
  output: z.array(z.strictObject({ name: z.string(), change: z.enum(['new', 'same', 'changed']), scope: scopeName })),
  permission: {
    // Required for a check too: it discloses whether a value is the present one.
    action: 'secret:set',
    resource: ({ workspace, infra, shared }) => secretsResource({ workspace, infra, shared }),
  },
  rest: { verb: 'POST', path: '/workspaces/{workspace}/import-secrets' },
  errors: ['secret-name', 'secret-scope', 'unknown-secret'],
  run: ({ engine, principal }, { values, check, source, ...scope }) =>
    importSecrets(engine, scope, values, { actor: principal.actor, how: source ?? 'secret import', check: check === true }),
});
