import { readKeys } from 'openpgp';
import { expect, test } from 'vitest';
import { hashicorp } from './hashicorp.js';

test('the key that is embedded is the one that is named, and no other comes with it', async () => {
  const keys = await readKeys({ armoredKeys: hashicorp.key });
  expect(keys.map((key) => key.getFingerprint().toUpperCase())).toEqual([hashicorp.fingerprint]);
});
