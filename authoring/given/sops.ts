import * as z from 'zod';
import type { GivenKind } from './given-kind.js';
import type { SopsReference } from './sops-value.js';

const words = { error: 'write the path of a SOPS file in the workspace' };
const keyWords = { error: 'write the names in the file with dots between them, or as a list' };
const shape = z.strictObject({
  sops: z.string(words).min(1, words),
  key: z.union([z.string(keyWords).min(1, keyWords), z.array(z.string(keyWords), keyWords).min(1, keyWords)], keyWords).optional(),
});

/** `{ sops: secrets/prod.sops.yaml, key: db.password }`: a value in an encrypted file of the workspace. */
export const sopsReference: GivenKind<SopsReference> = {
  form: '{ sops: FILE, key: PATH }',
  keys: ['sops', 'key'],
  shape,
  // The decryption code is large. It is loaded only for definitions with such a reference.
  check: async (reference, root) => (await import('./sops-value.js')).findSopsProblem(reference, root),
  read: async (reference, place) => (await import('./sops-value.js')).readValue(reference, place),
};
