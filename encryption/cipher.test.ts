import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCipher, keyIdOf } from './cipher.js';
import { type EncryptionKey, loadKeyring } from './keyring.js';

const key = (id: string): EncryptionKey => ({ id, secret: createSecretKey(randomBytes(32)), source: 'a test' });
const text = Buffer.from('the quick brown canary');
const codeOf = (error: { details?: { code: string } }) => error.details?.code;

test('what was sealed opens in the same context only, and is nowhere to be read', async () => {
  const cipher = createCipher(await loadKeyring(async () => [key('a')]));
  const sealed = cipher.seal(text, 'one');
  expect(sealed.includes('canary')).toBe(false);
  expect(keyIdOf(sealed)).toBe('a');
  expect(await cipher.open(sealed, 'one')).toEqual(text);
  expect(await cipher.open(sealed, 'two').catch(codeOf)).toBe('sealed-altered');
});

test('any altered byte is noticed', async () => {
  const cipher = createCipher(await loadKeyring(async () => [key('a')]));
  const sealed = cipher.seal(text, '');
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(await cipher.open(altered, '').catch(codeOf), `byte ${at}`).toMatch(
      /^(sealed-altered|unknown-encryption-key|not-sealed)$/,
    );
  }
});

test('the same bytes never look the same twice, unless that is asked for', async () => {
  const cipher = createCipher(await loadKeyring(async () => [key('a')]));
  const seen = new Set(Array.from({ length: 2_000 }, () => cipher.seal(text, '').toString('hex')));
  expect(seen.size).toBe(2_000);
  expect(cipher.sealSame(text, 'x')).toEqual(cipher.sealSame(text, 'x'));
  expect(cipher.sealSame(text, 'x')).not.toEqual(cipher.sealSame(text, 'y'));
  expect(await cipher.open(cipher.sealSame(text, 'x'), 'x')).toEqual(text);
});

test('a new current key seals, the former one still opens, one that came meanwhile is found', async () => {
  const keys = [key('old')];
  const ring = await loadKeyring(async () => keys);
  const cipher = createCipher(ring);
  const before = cipher.seal(text, '');
  keys.unshift(key('new'));
  const elsewhere = createCipher(await loadKeyring(async () => keys));
  expect(await cipher.open(elsewhere.seal(text, ''), '')).toEqual(text);
  expect(keyIdOf(cipher.seal(text, ''))).toBe('new');
  expect(await elsewhere.open(before, '')).toEqual(text);
});

test('a missing key is named, with what to do', async () => {
  const cipher = createCipher(await loadKeyring(async () => [key('mine')]));
  const stranger = createCipher(await loadKeyring(async () => [key('theirs')]));
  const error = await cipher.open(stranger.seal(text, ''), '').catch((thrown) => thrown);
  expect(error.message).toBe(
    'cannot decrypt the payload: key theirs: it was encrypted with a key that this platform does not have (available keys: mine)',
  );
  expect(error.details).toMatchObject({ code: 'unknown-encryption-key', blame: 'user' });
  expect(error.details.hint).toContain('PROVISIONING_ENCRYPTION_KEYS');
});

test('two keys of one id are refused', async () => {
  expect(await loadKeyring(async () => [key('a'), key('a')]).catch(codeOf)).toBe('encryption-key-twice');
  expect(await loadKeyring(async () => []).catch(codeOf)).toBe('no-encryption-key');
});
