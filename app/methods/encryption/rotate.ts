import * as z from 'zod';
import { rotateHomeKey } from '../../encryption/home-keys.js';
import { method } from '../../method.js';
import { encryptionResource, KEY_ERRORS } from '../../schemas/encryption.js';

export const rotateTheKey = method({
  name: 'encryption.rotate',
  summary: 'Create a new encryption key for new data; earlier keys still decrypt, and a new recovery copy is needed',
  input: z.strictObject({}),
  output: z.strictObject({
    key: z.string().describe('Id of the new key'),
    former: z.string().optional().describe('Id of the key that encrypted before'),
    source: z.string(),
  }),
  permission: { action: 'encryption:rotate', resource: encryptionResource },
  errors: [...KEY_ERRORS, 'former-home', 'keys-from-environment'],
  run: ({ engine }) => rotateHomeKey(engine),
});
