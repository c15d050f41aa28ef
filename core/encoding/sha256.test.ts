import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { sha256 } from './sha256.js';

const known = (text: string) => createHash('sha256').update(text).digest('hex');

test('is what Node says, at every length around the ends of blocks', () => {
  for (let length = 0; length < 200; length++) expect(sha256('x'.repeat(length))).toBe(known('x'.repeat(length)));
});

test('is what Node says of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => sha256(text) === known(text)));
});
