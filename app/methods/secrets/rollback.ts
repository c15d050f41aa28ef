import * as z from 'zod';
import { editableSecret } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { scopeName, secretPlace, secretResource } from '../../schemas/secret.js';
import { rollBackSecret } from '../../secret/roll-back-secret.js';

export const rollbackSecret = method({
  name: 'secrets.rollback',
  summary: 'Make the value of an earlier version the newest one',
  input: z.strictObject({ ...secretPlace, to: z.int().min(1).describe('Number of a stored version') }),
  output: z.strictObject({
    scope: scopeName,
    version: z.int().describe('Number of the new version'),
    more: z.array(z.string()).describe('Certificates that get a new key and a new signature with their authority'),
  }),
  permission: { action: 'secret:set', resource: secretResource },
  errors: ['bad-request', 'secret-name', 'secret-scope', 'unknown-secret', 'unknown-version'],
  edits: editableSecret,
  run: (call, { to, ...place }) => rollBackSecret(call, place, to),
});
