import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCode, createTokenText, equalHashes, parseToken } from './token-text.js';

test('a token has an id and 256 random bits, of which only the hash is kept', () => {
  const { text, ...kept } = createTokenText();
  expect(text).toMatch(/^prov_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
  expect(parseToken(text)).toEqual(kept);
  const secret = text.split('_')[2]?.slice(0, 43) ?? '';
  expect(kept).toEqual({ id: text.split('_')[1], hash: createHash('sha256').update(secret).digest('base64url') });
  expect(new Set(Array.from({ length: 1_000 }, () => createTokenText().text)).size).toBe(1_000);
});

test('every digit counts: a token with another one, or of another form, is none', () => {
  const { text } = createTokenText();
  for (let at = 0; at < text.length; at++) {
    const other = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
    expect([at, parseToken(other)]).toEqual([at, undefined]);
  }
  for (const wrong of [
    '',
    'prov_',
    text.slice(0, -1),
    `${text}x`,
    `${text}\n`,
    ` ${text}`,
    `Bearer ${text}`,
    `prov_${'_'.repeat(70)}`,
  ])
    expect(parseToken(wrong)).toBeUndefined();
});

test('hashes are equal by all of their bytes', () => {
  expect([equalHashes('abc', 'abc'), equalHashes('abc', 'abd'), equalHashes('abc', 'ab'), equalHashes('', '')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('a code can be typed', () => {
  const codes = Array.from({ length: 200 }, createCode);
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){4}$/);
  expect(new Set(codes).size).toBe(200);
});
