import * as z from 'zod';
import { KMS_KINDS } from '../../encryption/kms/key-wrapper.js';
import type { Resource } from '../principal.js';

export const kms = z.enum(KMS_KINDS).describe('Key service of the settings');

export const encryptionKey = z.strictObject({
  id: z.string(),
  current: z.boolean().describe('Whether it encrypts new data'),
  source: z.string(),
  since: z.string().optional().describe('ISO 8601'),
});

/** Keys are of the platform as a whole. */
export const encryptionResource = (): Resource => ({ type: 'Tenant', id: '*' });

/** Failures of each call that reads the keys. */
export const KEY_ERRORS = [
  'encryption-key',
  'encryption-key-twice',
  'key-file',
  'key-refused',
  'key-service',
  'kms-setting',
] as const;
