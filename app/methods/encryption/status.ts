import * as z from 'zod';
import { KMS_KINDS } from '../../../encryption/kms/key-wrapper.js';
import { statusOfKeys } from '../../encryption/home-keys.js';
import { method } from '../../method.js';
import { encryptionKey, encryptionResource, KEY_ERRORS, kms } from '../../schemas/encryption.js';

export const statusOfEncryption = method({
  name: 'encryption.status',
  summary: 'Show the ids and sources of the encryption keys, never the keys',
  input: z.strictObject({}),
  output: z.strictObject({
    encrypting: z.boolean().describe('Whether new payloads are encrypted'),
    algorithm: z.literal('AES-256-GCM'),
    kms,
    wrappedBy: z.array(z.enum([...KMS_KINDS, 'plain'])).describe('Key services that wrapped the keys of the home'),
    keys: z.array(encryptionKey).describe('Current key first'),
  }),
  permission: { action: 'encryption:read', resource: encryptionResource },
  errors: [...KEY_ERRORS, 'encryption-setting', 'no-encryption-key'],
  run: ({ engine }) => statusOfKeys(engine),
});
