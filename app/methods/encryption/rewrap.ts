import * as z from 'zod';
import { rewrapHomeKeys } from '../../encryption/home-keys.js';
import { method } from '../../method.js';
import { encryptionResource, KEY_ERRORS, kms } from '../../schemas/encryption.js';

export const rewrapTheKeys = method({
  name: 'encryption.rewrap',
  summary: 'Wrap all encryption keys with the key service of the settings; the encrypted data does not change',
  input: z.strictObject({}),
  output: z.strictObject({
    kms,
    keys: z.int().describe('Number of wrapped keys'),
    restart: z.literal(true).optional().describe('Whether the key service is another one, which a worker uses after its restart'),
  }),
  permission: { action: 'encryption:rewrap', resource: encryptionResource },
  errors: [...KEY_ERRORS, 'former-home'],
  run: ({ engine }) => rewrapHomeKeys(engine),
});
